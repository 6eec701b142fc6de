import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import type { PreparationPart, PreparationPlan } from '@shared/projects/project-preparation.ts';
import { seenName, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes, clock } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../controls/button.tsx';
import { Notice } from '../notices/notice.tsx';
import { Problem } from '../notices/problem.tsx';
import { SeenText } from '../content/seen-text.tsx';
import { TerminalOutput } from '../content/terminal-output.tsx';

/** A project's packages in the sandbox, and a button to install what is missing. */
export function PreparePackages({ projectPath }: { readonly projectPath: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const isRefused = useIsCommandRefused('projects.prepare');
  const parts = useQuery({
    queryKey: ['packages', projectPath],
    queryFn: ({ signal }) => client.projects.parts({ projectPath }, { signal }),
  });
  const isChanged = parts.data?.some(({ changedBy = [] }) => changedBy.length > 0) ?? false;
  const close = (): void => {
    setIsOpen(false);
    void queries.invalidateQueries({ queryKey: ['packages', projectPath] });
  };
  return (
    <div className="flex flex-col gap-2 text-sm">
      {parts.isPending && <p className="text-soft">{t('packages.looking')}</p>}
      {parts.error !== null && <p className="text-soft">{failureText(parts.error)}</p>}
      {parts.data?.length === 0 && <p className="text-soft">{t('packages.none')}</p>}
      <ul className="flex flex-col gap-2 empty:hidden">
        {parts.data?.map((part) => (
          <Part key={`${part.ecosystem} ${part.files.join(' ')}`} part={part} now={parts.dataUpdatedAt} />
        ))}
      </ul>
      {parts.data !== undefined && parts.data.length > 0 && !isRefused && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => setIsOpen(true)}>
            {t(parts.data.every((part) => part.state === 'ready') ? 'packages.again' : 'packages.prepare')}
          </Button>
          {parts.data.some((part) => part.state === 'ready' || part.state === 'outdated') && (
            <RemovePackages projectPath={projectPath} onDone={close} />
          )}
        </div>
      )}
      {isOpen && <PrepareDialog projectPath={projectPath} anew={isChanged} onClose={close} />}
    </div>
  );
}

interface RemovePackagesProps {
  readonly projectPath: string;
  readonly onDone: () => void;
}

/** Does not ask again, because removed packages can be installed again. */
function RemovePackages({ projectPath, onDone }: RemovePackagesProps) {
  const client = useClient();
  const [isBusy, setIsBusy] = useState(false);
  const remove = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const items = await client.projects.removePackages({ projectPath });
      const removed = items.filter(({ isRemoved }) => isRemoved).length;
      const text = removed === 0 ? t('packages.inUse') : plural('packages.removed', removed);
      announce({ kind: 'info', text });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
    setIsBusy(false);
    onDone();
  };
  return (
    <Button size="small" look="quiet" disabled={isBusy} onClick={() => void remove()}>
      {t('packages.remove')}
    </Button>
  );
}

const looks = { ready: 'text-good', outdated: 'text-warn', failed: 'text-bad', missing: 'text-soft' } as const;

function Part({ part, now }: { readonly part: PreparationPart; readonly now: number }) {
  const {
    ecosystem,
    folder = '',
    tool,
    state,
    packages,
    sizeBytes,
    reason,
    files,
    key = null,
    preparedAt = null,
    changedBy = [],
  } = part;
  const facts = [
    packages === null ? null : plural('packages.count', packages),
    sizeBytes === null ? null : bytes(sizeBytes),
    preparedAt === null ? null : t('packages.since', { time: clock(preparedAt, now) }),
    key === null ? null : t('packages.key', { key: key.slice(0, 12) }),
  ].filter((fact) => fact !== null);
  return (
    <li>
      <p className="flex justify-between gap-3">
        <span>
          {folder !== '' && `${folder}: `}
          {t(`packages.ecosystem.${ecosystem}`)} <span className="text-soft">({tool})</span>
        </span>
        <span className={`text-xs font-semibold ${looks[state]}`}>{t(`packages.state.${state}`)}</span>
      </p>
      <p className="font-mono text-xs text-soft wrap-anywhere">{files.join(', ')}</p>
      {facts.length > 0 && <p className="text-sm text-soft">{facts.join(' · ')}</p>}
      {changedBy.length > 0 && (
        <p className="text-sm text-warn wrap-anywhere">{t('packages.changed', { commands: changedBy.join('; ') })}</p>
      )}
      {reason !== null && <p className="text-sm text-soft wrap-anywhere">{reason}</p>}
    </li>
  );
}

interface PrepareDialogProps {
  readonly projectPath: string;
  /** Also installs again what commands have changed since. */
  readonly anew: boolean;
  readonly onClose: () => void;
}

/** Shows the full commands and hosts before anything runs, then the output. */
function PrepareDialog({ projectPath, anew, onClose }: PrepareDialogProps) {
  const client = useClient();
  const work = usePreparation(projectPath, anew);
  const plan = useQuery({
    queryKey: ['packages', 'plan', projectPath, anew],
    queryFn: ({ signal }) => client.projects.preparation({ projectPath, anew }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const { state } = work;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content
          aria-describedby={undefined}
          // A click outside must not stop an installation.
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(44rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-xl border border-line bg-raised p-5 pr-2.5 shadow-float"
        >
          <Dialog.Title className="font-semibold">{t('packages.title')}</Dialog.Title>
          {plan.isPending && <p className="text-sm text-soft">{t('packages.planning')}</p>}
          {plan.error !== null && <Problem text={failureText(plan.error)} onRetry={plan.refetch} />}
          {plan.data !== undefined && <PlanText plan={plan.data} />}
          {state.text !== '' && <TerminalOutput text={state.text} />}
          {state.problem !== null && <Problem text={state.problem} />}
          {state.ended !== null && (
            <Notice kind={state.ended.parts.every((part) => part.state === 'ready') ? 'info' : 'warning'}>
              {t(state.ended.parts.every((part) => part.state === 'ready') ? 'packages.done' : 'packages.notAll')}
            </Notice>
          )}
          <div className="flex justify-end gap-2">
            {state.isRunning ? (
              <Button look="danger" onClick={work.cancel}>
                {t('packages.cancel')}
              </Button>
            ) : (
              <Button onClick={onClose}>{t('packages.close')}</Button>
            )}
            {plan.data !== undefined && state.ended === null && (
              <Button
                look="primary"
                disabled={state.isRunning}
                onClick={() => work.start(plan.data.approval)}
                data-approve
              >
                {t('packages.approve')}
              </Button>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PlanText({ plan }: { readonly plan: PreparationPlan }) {
  const commands = plan.parts.flatMap((part) => (part.state === 'ready' ? [] : part.commands));
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-soft">{t('packages.text', { image: plan.image })}</p>
      {commands.length === 0 ? (
        <p>{t('packages.nothing')}</p>
      ) : (
        <SeenText pieces={seenPieces(commands.map((command) => `$ ${command}`).join('\n'))} />
      )}
      {plan.notes?.map((note) => (
        <p key={note}>{seenWords(note)}</p>
      ))}
      {plan.hosts.length > 0 && (
        <div>
          <h3 className="text-sm text-soft">{t('packages.hosts')}</h3>
          <ul>
            {plan.hosts.map(({ host, why }) => (
              <li key={host}>
                <span className="font-mono text-xs">{seenName(host)}</span>{' '}
                <span className="text-xs text-soft">{seenWords(why)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {plan.variables.length > 0 && (
        <p className="text-sm text-soft">{t('packages.variables', { names: plan.variables.join(', ') })}</p>
      )}
    </div>
  );
}

interface Preparing {
  readonly isRunning: boolean;
  readonly text: string;
  readonly problem: string | null;
  readonly ended: PreparationPlan | null;
}

const idle: Preparing = { isRunning: false, text: '', problem: null, ended: null };

/** The installation. It stops when the dialog closes. */
function usePreparation(projectPath: string, anew: boolean) {
  const client = useClient();
  const [state, setState] = useState(idle);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async (approval: string, signal: AbortSignal): Promise<void> => {
    setState({ ...idle, isRunning: true });
    try {
      for await (const push of await client.projects.prepare({ projectPath, anew, approval }, { signal })) {
        if (push.type === 'ended') setState((now) => ({ ...now, ended: push.plan }));
        else setState((now) => ({ ...now, text: `${now.text}${push.text}\n` }));
      }
      setState((now) => ({ ...now, isRunning: false }));
    } catch (error) {
      const problem = signal.aborted ? t('packages.cancelled') : failureText(error);
      setState((now) => ({ ...now, isRunning: false, problem }));
    }
  };
  return {
    state,
    start: (approval: string): void => {
      stop.current = new AbortController();
      void run(approval, stop.current.signal);
    },
    cancel: () => stop.current?.abort(),
  };
}
