import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { wayText } from './way-mark.tsx';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { clock, folderName } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useFocusKept } from '../../lib/window/use-focus-kept.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { CompareForm } from './compare-form.tsx';
import { ComparisonDetail } from './comparison-detail.tsx';

interface CompareViewProps {
  /** Folders of earlier sessions, latest first. */
  readonly projects: readonly string[];
  /** A task to start with; null: show the list of comparisons. */
  readonly task: { readonly text: string; readonly project: string | null } | null;
  /** Sessions whose first messages are the tasks to start with. */
  readonly sessions: readonly string[];
  readonly onSession: (sessionId: string) => void;
}

type Shown = { readonly type: 'list' } | { readonly type: 'new' } | { readonly type: 'one'; readonly id: string };

/** Several ways do the same tasks: start a comparison, watch it, read its table. */
export default function CompareView({ projects, task, sessions, onSession }: CompareViewProps) {
  const queries = useQueryClient();
  const [shown, setShown] = useState<Shown>({ type: task === null && sessions.length === 0 ? 'list' : 'new' });
  const [picked, setPicked] = useState(sessions);
  const show = (next: Shown): void => {
    setShown(next);
    void queries.invalidateQueries({ queryKey: ['comparisons'] });
  };
  const back = useRef<HTMLButtonElement>(null);
  useFocusKept(shown.type, () => back.current?.focus());
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-5 px-5 py-8">
        <ViewHeader title={t('compare.title')} text={t('compare.text')}>
          {shown.type === 'list' ? (
            <Button
              look="primary"
              onClick={() => {
                setPicked([]);
                show({ type: 'new' });
              }}
            >
              <Icon name="plus" /> {t('compare.new')}
            </Button>
          ) : (
            <Button ref={back} onClick={() => show({ type: 'list' })}>
              {t('compare.back')}
            </Button>
          )}
        </ViewHeader>
        {shown.type === 'list' && <Listing onOpen={(id) => show({ type: 'one', id })} />}
        {shown.type === 'new' && (
          <CompareForm
            task={task}
            sessions={picked}
            projects={projects}
            onStarted={(id) => show({ type: 'one', id })}
          />
        )}
        {shown.type === 'one' && <ComparisonDetail key={shown.id} id={shown.id} onSession={onSession} />}
      </div>
    </div>
  );
}

function Listing({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const client = useClient();
  const list = useQuery({
    queryKey: ['comparisons'],
    queryFn: async ({ signal }) => ({ all: await client.comparisons.list(undefined, { signal }), readAt: Date.now() }),
    staleTime: 0,
  });
  if (list.error !== null) return <Problem text={failureText(list.error)} onRetry={list.refetch} />;
  if (list.data === undefined) return <Empty>{t('compare.loading')}</Empty>;
  if (list.data.all.length === 0) return <Empty icon="columns">{t('compare.none')}</Empty>;
  return (
    <ul className="flex flex-col gap-1">
      {list.data.all.map((comparison) => (
        <Item key={comparison.id} comparison={comparison} readAt={list.data.readAt} onOpen={onOpen} />
      ))}
    </ul>
  );
}

interface ItemProps {
  readonly comparison: Comparison;
  readonly readAt: number;
  readonly onOpen: (id: string) => void;
}

function Item({ comparison, readAt, onOpen }: ItemProps) {
  const nameOf = useModelName();
  const { id, createdAt, input, runs } = comparison;
  const done = runs.filter((run) => run.state === 'ended').length;
  return (
    <li>
      <button
        type="button"
        onClick={() => onOpen(id)}
        className="block w-full rounded-lg border border-line px-3 py-2 text-left hover:bg-chosen"
      >
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate">{seenName(input.tasks[0]?.name ?? '')}</span>
          <span className="text-xs text-soft tabular-nums">{clock(createdAt, readAt)}</span>
        </span>
        <span className="block truncate text-xs text-soft">
          {[
            folderName(input.projectPath),
            ...(input.tasks.length === 1 ? [] : [plural('compare.tasks', input.tasks.length)]),
            plural('compare.of', runs.length, { done }),
            seenName(input.ways.map((way) => wayText(wayName(way), nameOf)).join(', ')),
          ].join(' · ')}
        </span>
      </button>
    </li>
  );
}
