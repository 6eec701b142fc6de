import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PullProgress } from '@shared/git/pull-progress.ts';
import type { PushPlan } from '@shared/git/push-plan.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface RepositoryProps {
  readonly projectPath: string;
}

/** The branch of the project's repository, and the ways to its remote. A project without one shows nothing. */
export function ProjectRepository({ projectPath }: RepositoryProps) {
  const client = useClient();
  const isRefused = useIsCommandRefused('git.pull');
  const [isPushing, setIsPushing] = useState(false);
  const found = useQuery({
    queryKey: ['git', 'branches', projectPath],
    queryFn: ({ signal }) => client.git.read({ projectPath, ask: { type: 'branches' } }, { signal }),
    retry: false,
  });
  const { isBusy, step, said, say, problem, pull, stop } = usePull(projectPath);
  if (found.data?.type !== 'branches' || found.data.commit === null) return null;
  const { branch, commit, remotes } = found.data;
  const at = commit.slice(0, 8);
  return (
    <Group title={t('repository.title')}>
      <p className="text-sm wrap-anywhere">
        {branch === null
          ? t('repository.detached', { commit: at })
          : t('repository.on', { branch: seenName(branch), commit: at })}
      </p>
      {remotes.length === 0 ? (
        <p className="text-sm text-soft">{t('repository.noRemote')}</p>
      ) : isRefused ? (
        <p className="text-sm text-soft">{t('repository.refused')}</p>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          {isBusy ? (
            <Button size="small" onClick={stop}>
              {t('repository.stop')}
            </Button>
          ) : (
            <Button size="small" onClick={pull}>
              {t('repository.pull')}
            </Button>
          )}
          <Button size="small" disabled={isBusy} onClick={() => setIsPushing(true)}>
            {t('repository.push')}
          </Button>
          <p className="min-w-0 flex-1 text-sm text-soft wrap-anywhere" aria-live="polite">
            {isBusy ? stepText(step) : (said ?? '')}
          </p>
        </div>
      )}
      {problem !== null && <Problem text={problem} />}
      {isPushing && (
        <PushDialog
          projectPath={projectPath}
          onClose={() => setIsPushing(false)}
          onPushed={(text) => {
            say(text);
            setIsPushing(false);
          }}
        />
      )}
    </Group>
  );
}

type Step = Extract<PullProgress, { type: 'progress' }> | null;

function stepText(step: Step): string {
  if (step === null) return t('repository.asking');
  const { done, total } = step;
  if (step.step === 'receive') return t('task.clone.receive', { size: bytes(done) });
  const percent = total === null || total === 0 ? 0 : Math.floor((done / total) * 100);
  return t(step.step === 'unpack' ? 'task.clone.unpack' : 'task.clone.write', { percent });
}

function usePull(projectPath: string) {
  const client = useClient();
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  // Another view: nobody waits for it any more.
  useEffect(() => () => stop.current?.abort(), []);
  const pull = async (): Promise<void> => {
    setIsBusy(true);
    setStep(null);
    setSaid(null);
    setProblem(null);
    const { signal } = (stop.current = new AbortController());
    try {
      for await (const one of await client.git.pull({ projectPath }, { signal })) {
        if (one.type === 'progress') setStep(one);
        if (one.type === 'ended') setSaid([endText(one.pull), ...one.pull.notes.map(seenWords)].join(' '));
      }
    } catch (error) {
      if (!signal.aborted) setProblem(failureText(error));
    }
    setIsBusy(false);
    await queries.invalidateQueries({ queryKey: ['git', 'branches', projectPath] });
  };
  return { isBusy, step, said, say: setSaid, problem, pull: () => void pull(), stop: () => stop.current?.abort() };
}

function endText({ branch, from, to, files }: Extract<PullProgress, { type: 'ended' }>['pull']): string {
  return from === to
    ? t('repository.same', { branch: seenName(branch) })
    : plural('repository.pulled', files, { branch: seenName(branch), commit: to.slice(0, 8) });
}

interface PushDialogProps extends RepositoryProps {
  readonly onClose: () => void;
  readonly onPushed: (text: string) => void;
}

/** Shows what would be sent and where. After a click, exactly that is pushed. */
function PushDialog({ projectPath, onClose, onPushed }: PushDialogProps) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const found = useQuery({
    queryKey: ['git', 'push', projectPath],
    queryFn: ({ signal }) => client.git.planPush({ projectPath }, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const push = async ({ approval, branch }: PushPlan): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      const { commit, address } = await client.git.push({ projectPath, approval });
      onPushed(
        t('repository.pushed', { branch: seenName(branch), commit: commit.slice(0, 8), address: seenName(address) }),
      );
    } catch (error) {
      setProblem(failureText(error));
      // It may be another by now.
      await found.refetch();
      setIsBusy(false);
    }
  };
  const failed = problem ?? (found.error === null ? null : failureText(found.error));
  const plan = found.error === null ? (found.data ?? null) : null;
  return (
    <DialogFrame title={t('repository.push.title')} about={t('repository.push.about')} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {failed !== null && <Problem text={failed} />}
        {plan === null && found.isFetching && <p className="text-xs text-soft">{t('git.looking')}</p>}
        {plan !== null && <PlannedPush plan={plan} />}
        <div className="flex justify-end">
          <Button
            size="small"
            look="primary"
            disabled={isBusy || found.isFetching || plan === null}
            onClick={() => plan !== null && void push(plan)}
          >
            {t('repository.push.start')}
          </Button>
        </div>
      </div>
    </DialogFrame>
  );
}

const shownCommits = 20;

function PlannedPush({ plan }: { readonly plan: PushPlan }) {
  const { branch, commit, address, remote, isNew, commits, count, notes } = plan;
  const to = {
    branch: seenName(branch),
    commit: commit.slice(0, 8),
    address: seenName(address),
    remote: seenName(remote),
  };
  return (
    <div className="flex flex-col gap-2 text-xs wrap-anywhere" aria-live="polite">
      <p>{t('git.pushTo', to)}</p>
      {isNew && <p className="text-soft">{t('repository.push.new')}</p>}
      <p className="text-soft">
        {count === null ? t('repository.push.many') : plural('repository.push.commits', count)}
      </p>
      <ul>
        {commits.slice(0, shownCommits).map(({ id, title, author }) => (
          <li key={id}>
            <span className="font-mono text-soft">{id.slice(0, 8)}</span> {seenWords(title)}{' '}
            <span className="text-soft">{seenName(author)}</span>
          </li>
        ))}
        {(count === null || count > shownCommits) && <li>…</li>}
      </ul>
      {notes.map((note) => (
        <p key={note} className="text-warn">
          {seenWords(note)}
        </p>
      ))}
    </div>
  );
}
