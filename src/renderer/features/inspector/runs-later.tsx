import type { ChangedFile } from '@shared/contract.ts';
import { runsLater } from '@shared/runs-later.ts';
import { plural, t } from '../../lib/texts.ts';
import { Notice } from '../../ui/notice.tsx';

/** Which of the changed files something on the person's own machine runs later, outside of the sandbox, and what. */
export function RunsLater({ files }: { readonly files: readonly ChangedFile[] }) {
  const found = files.flatMap(({ path, state }) => {
    const why = state === 'undone' ? null : runsLater(path);
    return why === null ? [] : [{ path, why }];
  });
  if (found.length === 0) return null;
  return (
    <Notice kind="warning">
      <p className="font-medium">{plural('changes.runsLater', found.length)}</p>
      <p className="text-xs text-soft">{t('changes.runsLaterText')}</p>
      <ul className="mt-1.5 flex flex-col gap-1">
        {found.map(({ path, why }) => (
          <li key={path} className="text-xs">
            <span className="font-mono wrap-anywhere">{path}</span>: {why}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
