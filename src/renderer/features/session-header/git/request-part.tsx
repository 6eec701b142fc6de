import type { RequestPlan } from '@shared/git/request-plan.ts';
import { seenLines, seenName, seenWords } from '@shared/text/seen-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { CopyButton } from '../../../ui/controls/copy-button.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { PlannedWork } from './planned-work.tsx';
import { usePlan } from './use-plan.ts';

/** Shows what would be sent and where. After a click, pushes the branch and opens a draft request. */
export function RequestPart({ sessionId }: { readonly sessionId: string }) {
  const input = { sessionId };
  const planned = usePlan({
    key: ['request', input],
    plan: (client, signal) => client.git.planRequest(input, { signal }),
    make: (client, { approval }) => client.git.request({ ...input, approval }),
  });
  const { made } = planned;
  if (made !== null)
    return (
      <div className="flex flex-col gap-2" aria-live="polite">
        <p>{t(made.isNew ? 'git.drafted' : 'git.pushed')}</p>
        <p className="flex items-center gap-2 font-mono text-xs wrap-anywhere">
          {seenName(made.url)}
          <CopyButton text={made.url} label={t('git.copyAddress')} />
        </p>
      </div>
    );
  return (
    <div className="flex flex-col gap-3">
      <PlannedWork planned={planned} label={t('git.push')}>
        {(shown) => <PlannedRequest plan={shown} />}
      </PlannedWork>
    </div>
  );
}

function PlannedRequest({ plan }: { readonly plan: RequestPlan }) {
  const { branch, commit, address, remote, base, others, notes, title, body } = plan;
  return (
    <div className="flex flex-col gap-2 text-xs wrap-anywhere" aria-live="polite">
      <p>
        {t('git.pushTo', {
          branch: seenName(branch),
          commit: commit.slice(0, 8),
          address: seenName(address),
          remote: seenName(remote),
        })}
      </p>
      <p className="text-soft">{base === null ? t('git.forDefault') : t('git.forBranch', { base: seenName(base) })}</p>
      {others > 0 && <p className="text-warn">{plural('git.others', others)}</p>}
      {notes.map((note) => (
        <p key={note} className="text-warn">
          {seenWords(note)}
        </p>
      ))}
      <Fold label={seenWords(title)} isOpen>
        <pre className="mt-1 max-h-56 overflow-y-auto whitespace-pre-wrap">{seenLines(body)}</pre>
      </Fold>
    </div>
  );
}
