import type { TakeOver } from '../../lib/models/take-over.ts';
import { t } from '../../lib/text/translate.ts';
import { Problem } from './problem.tsx';

/** The progress of a downloaded model that is about to become the local model, and why it did not. */
export function TakeOverState({ state }: { readonly state: TakeOver }) {
  if (state.state === 'testing') return <output className="text-xs text-soft">{t('suggest.testing')}</output>;
  const why = state.state === 'failed' ? `${t('suggest.testFailed')} ${state.why}` : t('suggest.notPassed');
  return <Problem text={why} />;
}
