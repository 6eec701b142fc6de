import { announce } from './announce.ts';
import { failureText } from '../connection/failure-text.ts';
import { t } from '../text/translate.ts';

/** Announces a removal with an Undo button. `goesAfterMs`: how long undo works; absent: as long as it is shown. */
export function offerUndo(text: string, undo: () => Promise<unknown>, goesAfterMs?: number): void {
  const run = (): void => {
    undo().catch((error: unknown) => announce({ kind: 'error', text: `${t('undo.failed')} ${failureText(error)}` }));
  };
  announce({
    kind: 'info',
    text,
    action: { label: t('undo.label'), run },
    ...(goesAfterMs === undefined ? {} : { goesAfterMs }),
  });
}
