import type { FocusEvent } from 'react';
import { useRef, useState } from 'react';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { countNeeds, isOwnTask, needOf } from '@shared/session/session-news.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { organizeSessions } from '../../lib/session/organize-sessions.ts';
import type { SessionsLoad } from '../../lib/session/use-sessions.ts';
import { t } from '../../lib/text/translate.ts';
import { useFocusKept } from '../../lib/window/use-focus-kept.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { Button } from '../../ui/controls/button.tsx';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ShowQuestions } from './task-row.tsx';
import { TaskRow } from './task-row.tsx';

interface TasksViewProps {
  readonly load: SessionsLoad;
  readonly questions: ShowQuestions;
  readonly onSession: (sessionId: string) => void;
  /** Loads the list of sessions again. */
  readonly onChanged: () => void;
}

/** The groups of the list, in their order. */
const groups = ['answer', 'working', 'look'] as const;

/** Number of tasks of a group that are rendered at first, and added with each click. Each follows its session. */
const step = 20;

/** All tasks that need the user or work, in one view: answer, stop and look without opening a session. */
export default function TasksView({ load, questions, onSession, onChanged }: TasksViewProps) {
  const client = useClient();
  // What was looked at here stays until the view is left, so that nothing vanishes while it is read.
  const [looked, setLooked] = useState<ReadonlySet<string>>(new Set());
  const see = (ids: readonly string[]): void => {
    setLooked(new Set([...looked, ...ids]));
    void organizeSessions(client, ids, { isSeen: true }).finally(onChanged);
  };
  const tasks = load.type === 'ready' ? load.sessions.filter(isOwnTask) : [];
  const groupOf = (task: SessionSummary) => {
    const need = needOf(task);
    return need === 'nothing' && looked.has(task.sessionId) ? 'look' : need;
  };
  const unseen = tasks.filter((task) => needOf(task) === 'look').map(({ sessionId }) => sessionId);
  const { answer, working } = countNeeds(tasks);
  const follow = useFocusOfTask(tasks.map((task) => `${task.sessionId} ${groupOf(task)}`).join(' '));
  const isEmpty = !tasks.some((task) => groupOf(task) !== 'nothing');
  return (
    <div className="h-full overflow-y-auto" onFocus={follow}>
      <div className="mx-auto w-full max-w-3xl px-5 py-8">
        <ViewHeader title={t('tasks.title')} text={t('tasks.text')}>
          {unseen.length > 1 && (
            <Button size="small" onClick={() => see(unseen)}>
              {t('tasks.allSeen')}
            </Button>
          )}
        </ViewHeader>
        {load.type === 'loading' && <p className="mt-4 text-soft">{t('sessions.loading')}</p>}
        {load.type === 'failed' && <Problem className="mt-4" text={`${t('sessions.failed')} ${load.text}`} />}
        {load.type === 'ready' && isEmpty && (
          <Empty icon="check" action="new">
            {t('tasks.empty')}
          </Empty>
        )}
        {load.type === 'ready' &&
          groups.map((group) => (
            <TaskGroup
              key={group}
              title={t(`tasks.${group}`)}
              tasks={tasks.filter((task) => groupOf(task) === group)}
              readAt={load.readAt}
              {...{ questions, onSession, onChanged }}
              onSeen={(sessionId) => see([sessionId])}
            />
          ))}
        <output className="sr-only">{t('tasks.spoken', { answer, working, look: unseen.length })}</output>
      </div>
    </div>
  );
}

/** An answered question takes its buttons along, and its task may move. The focus goes on with the task. */
function useFocusOfTask(places: string): (event: FocusEvent) => void {
  const last = useRef<string | null>(null);
  useFocusKept(places, () => {
    if (last.current === null) return;
    document.querySelector<HTMLElement>(`[data-task="${CSS.escape(last.current)}"]`)?.focus();
  });
  return ({ target }) => {
    last.current = target.closest<HTMLElement>('[data-task]')?.dataset.task ?? null;
  };
}

interface TaskGroupProps extends Omit<TasksViewProps, 'load'> {
  readonly title: string;
  readonly tasks: readonly SessionSummary[];
  readonly readAt: number;
  readonly onSeen: (sessionId: string) => void;
}

function TaskGroup({ title, tasks, readAt, questions, onSession, onChanged, onSeen }: TaskGroupProps) {
  const { shown, left, more } = useFirstItems(tasks, step);
  const projectName = useProjectNames();
  if (tasks.length === 0) return null;
  return (
    <section aria-label={title} className="mt-6">
      <h2 className="flex items-baseline gap-2 text-sm font-semibold">
        {title} <span className="text-xs font-normal text-soft tabular-nums">{tasks.length}</span>
      </h2>
      <ul className="mt-1 flex flex-col divide-y divide-line border-t border-line">
        {shown.map((task) => (
          <TaskRow
            key={task.sessionId}
            {...{ task, readAt, questions, onChanged }}
            project={task.project === null ? null : projectName(task.project)}
            onOpen={() => onSession(task.sessionId)}
            onSeen={() => onSeen(task.sessionId)}
          />
        ))}
      </ul>
      <MoreButton left={left} onMore={more} />
    </section>
  );
}
