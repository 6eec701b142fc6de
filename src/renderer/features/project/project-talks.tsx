import { useQuery } from '@tanstack/react-query';
import { ownFirst } from '@shared/session/session-news.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { money, sessionTitle } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { PageHandle } from './use-project-page.ts';

/** What new talks and tasks of the project begin with. */
export function TalkDefaults({ handle: { page, isRefused, problemOf, say } }: { readonly handle: PageHandle }) {
  const problem = problemOf('assistant', 'mode');
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['assistants'],
    queryFn: ({ signal }) => client.assistants.list(undefined, { signal }),
  });
  const head = page?.head ?? null;
  const names = (data?.assistants ?? []).map(({ name }) => name);
  const gone = head?.assistant !== null && head?.assistant !== undefined && !names.includes(head.assistant);
  const modes = taskModes.map((value) => ({ value, text: t(`mode.${value}`) }));
  return (
    <Group title={t('project.begin')}>
      <Choice
        label={t('project.begin.assistant')}
        isDisabled={isRefused || page === undefined}
        value={head?.assistant ?? ''}
        options={[
          { value: '', text: t('project.none') },
          ...names.map((name) => ({ value: name, text: name })),
          ...(gone ? [{ value: head.assistant, text: t('project.begin.gone', { name: head.assistant }) }] : []),
        ]}
        onChange={(name) => void say({ type: 'assistant', assistant: name === '' ? null : name })}
      />
      <Choice
        label={t('project.begin.mode')}
        isDisabled={isRefused || page === undefined}
        value={head?.mode ?? ''}
        options={[{ value: '', text: t('project.begin.words') }, ...modes]}
        onChange={(value) => void say({ type: 'mode', mode: taskModes.find((one) => one === value) ?? null })}
      />
      {problem !== null && <Problem text={problem} />}
    </Group>
  );
}

const shownTalks = 8;

/** The sessions of the project, latest first, with the runs of comparisons behind. */
export function ProjectTalks({ project }: { readonly project: string }) {
  const client = useClient();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['project-page', project, 'sessions'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
    staleTime: 0,
  });
  const own = ownFirst((data ?? []).filter((one) => one.project === project && one.startedBy === undefined));
  const { shown, left, more } = useFirstItems(own, shownTalks);
  return (
    <Group title={t('project.talks')}>
      {data !== undefined && own.length === 0 && <p className="text-sm text-soft">{t('project.talks.none')}</p>}
      <ul className="flex flex-col text-sm empty:hidden">
        {shown.map(({ sessionId, title, costUsd }) => (
          <li key={sessionId}>
            <button
              type="button"
              onClick={() => navigate({ type: 'session', sessionId })}
              className="flex w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-chosen"
            >
              <span className="min-w-0 flex-1 truncate">{sessionTitle(title)}</span>
              <span className="text-xs text-soft tabular-nums">{costUsd === null ? '' : money(costUsd)}</span>
            </button>
          </li>
        ))}
      </ul>
      <MoreButton left={left} onMore={more} />
    </Group>
  );
}
