import type { ReactNode } from 'react';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { needOf } from '@shared/session/session-news.ts';
import { askingTurn, waitingTurn } from '@shared/session/waiting-turn.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { stepLabel } from '../../lib/session/step-label.ts';
import { useSession } from '../../lib/session/use-session.ts';
import { clock, money, sessionTitle } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { StopButton } from '../../ui/controls/stop-button.tsx';
import { Markdown } from '../../ui/content/markdown.tsx';
import { NeedMark } from '../../ui/figures/need-mark.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TaskReply } from './task-reply.tsx';

/** The open questions of a session, as its own view asks them. */
export type ShowQuestions = (sessionId: string, state: SessionState) => ReactNode;

interface TaskRowProps {
  readonly task: SessionSummary;
  /** What its project is called; null: it is in none. */
  readonly project: string | null;
  readonly readAt: number;
  readonly questions: ShowQuestions;
  readonly onOpen: () => void;
  readonly onSeen: () => void;
  /** Something about it changed, so the list is loaded again. */
  readonly onChanged: () => void;
}

/** One task: what it is about, what it needs, and what can be done about it here. */
export function TaskRow({ task, project, readAt, questions, onOpen, onSeen, onChanged }: TaskRowProps) {
  const { sessionId, costUsd, updatedAt } = task;
  const title = sessionTitle(task.title);
  const need = needOf(task);
  const facts = [project, costUsd === 0 ? null : money(costUsd), clock(updatedAt, readAt)];
  return (
    <li data-task={sessionId} tabIndex={-1} aria-label={title} className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 basis-48">
          <button
            type="button"
            onClick={onOpen}
            className="block max-w-full truncate rounded text-left text-sm font-semibold hover:underline"
          >
            {title}
          </button>
          <span className="flex items-center gap-1.5 text-xs text-soft">
            {need !== 'nothing' && <NeedMark need={need} isAtWork={task.status !== 'idle'} />}
            <span className="truncate tabular-nums">{facts.filter((fact) => fact !== null).join(' · ')}</span>
          </span>
        </span>
        {task.status !== 'idle' && <StopButton sessionId={sessionId} onAnswered={onChanged} />}
        {need === 'look' && (
          <Button size="small" look="quiet" onClick={onSeen}>
            <Icon name="check" className="size-3.5" />
            {t('tasks.seen')}
          </Button>
        )}
      </div>
      {need === 'answer' || need === 'working' ? (
        <LiveTask {...{ task, questions, onChanged }} />
      ) : (
        <Result sessionId={sessionId} onLooked={onSeen} />
      )}
    </li>
  );
}

/** How many of the latest steps are listed. */
const shownSteps = 8;

/** Follows the task, to ask its question or to say what it does at the moment. */
function LiveTask({ task, questions, onChanged }: Pick<TaskRowProps, 'task' | 'questions' | 'onChanged'>) {
  const { sessionId } = task;
  const load = useSession(useClient(), sessionId);
  if (load.type === 'loading') return <p className="text-xs text-soft">{t('tasks.opening')}</p>;
  if (load.type === 'failed') return <Problem text={`${t('tasks.failed')} ${load.text}`} />;
  const { state } = load.view;
  if (state.approvals.length > 0 || state.cap !== null) return questions(sessionId, state);
  const waiting = waitingTurn(state);
  if (waiting !== null) {
    const asked = askingTurn(state.turns, waiting);
    return (
      <>
        {asked !== null && asked.text !== '' && (
          <div className="max-h-60 overflow-y-auto text-sm">
            <Markdown text={asked.text} />
          </div>
        )}
        <TaskReply {...{ sessionId, state }} onSent={onChanged} />
      </>
    );
  }
  const last = state.turns.at(-1);
  const steps = state.steps.filter(({ turnId }) => turnId === last?.id).slice(-shownSteps);
  const latest = steps.at(-1);
  if (latest === undefined) return <p className="text-xs text-soft">{t('tasks.starting')}</p>;
  return (
    <>
      <p className="truncate text-xs text-soft">{stepLabel(latest)}</p>
      <Fold label={t('tasks.look.steps')} className="text-xs">
        <ol className="mt-1.5 flex flex-col gap-1 border-l border-line pl-3 text-xs text-soft">
          {steps.map((step) => (
            <li key={step.callId} className="wrap-anywhere">
              {stepLabel(step)}
            </li>
          ))}
        </ol>
      </Fold>
    </>
  );
}

/** How the task ended, loaded when it is looked at. */
function Result({ sessionId, onLooked }: { readonly sessionId: string; readonly onLooked: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Fold
      label={t('tasks.look.open')}
      className="text-xs"
      isOpen={isOpen}
      onToggle={(open) => {
        setIsOpen(open);
        if (open) onLooked();
      }}
    >
      {isOpen && <LastWords sessionId={sessionId} />}
    </Fold>
  );
}

function LastWords({ sessionId }: { readonly sessionId: string }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ['result', sessionId],
    queryFn: ({ signal }) => client.sessions.result({ sessionId }, { signal }),
    staleTime: 0,
  });
  if (query.isPending) return <p className="mt-1.5 text-xs text-soft">{t('tasks.opening')}</p>;
  if (query.isError) return <Problem className="mt-1.5" text={failureText(query.error)} />;
  const { text, changes } = query.data;
  return (
    <div className="mt-1.5 flex flex-col gap-1.5 border-l border-line pl-3">
      <div className="max-h-72 overflow-y-auto text-sm">
        <Markdown text={text === '' ? t('tasks.noWords') : text} />
      </div>
      {changes.length > 0 && <p className="text-xs text-soft">{plural('tasks.changed', changes.length)}</p>}
    </div>
  );
}
