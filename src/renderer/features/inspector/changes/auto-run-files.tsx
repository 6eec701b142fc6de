import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { autoRunReason } from '@shared/safety/auto-run-files.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useFirstItems } from '../../../lib/drawing/use-first-items.ts';
import { MoreButton } from '../../../ui/controls/more-button.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import type { ChangedFile } from '@shared/contract/sessions-contract.ts';

interface AutoRunFilesProps {
  readonly files: readonly ChangedFile[];
  /** Files that commands left where changes are not tracked. */
  readonly untracked: readonly UntrackedPlace[];
}

/** The changed files that may run on the user's own machine later, outside the sandbox, with the reason. */
export function AutoRunFiles({ files, untracked }: AutoRunFilesProps) {
  const changed = files.flatMap(({ path, state }) => {
    const why = state === 'undone' ? null : autoRunReason(path);
    return why === null ? [] : [{ path, why, done: null }];
  });
  const found = [...changed, ...untracked];
  const { shown, left, more } = useFirstItems(found, 20);
  if (found.length === 0) return null;
  return (
    <Notice kind="warning">
      <p className="font-semibold">{plural('changes.runsLater', found.length)}</p>
      <p className="text-sm text-soft">{t('changes.runsLaterText')}</p>
      <ul className="mt-1.5 flex flex-col gap-1">
        {shown.map(({ path, why, done }) => (
          <li key={path} className="text-sm">
            <span className="font-mono wrap-anywhere">{seenName(path)}</span>: {seenName(why)}
            {done !== null && <span className="text-soft"> ({seenName(done)})</span>}
          </li>
        ))}
      </ul>
      <MoreButton left={left} onMore={more} />
    </Notice>
  );
}
