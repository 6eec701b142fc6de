import type { ReactNode, Ref } from 'react';
import { useImperativeHandle, useMemo } from 'react';
import type { SearchHit } from '@shared/contract/search-answer.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { ListedTalk, SessionFilter } from '@shared/session/session-filter.ts';
import { asTalks, fitsFilter } from '@shared/session/session-filter.ts';
import { countNeeds, hiddenNeeds } from '@shared/session/session-news.ts';
import { sessionFilterOf } from '../../lib/session/list-filter.ts';
import { useSelection } from '../../lib/session/use-selection.ts';
import type { ListSearch } from '../../lib/window/use-list-search.ts';
import { useSearch } from '../../lib/session/use-session-search.ts';
import type { SessionsLoad } from '../../lib/session/use-sessions.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import type { ProjectNames } from '../../lib/window/use-projects.ts';
import type { View } from '../../lib/window/use-view.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import type { IconName } from '../../ui/layout/icon.tsx';
import { FilterButton, FilterLine } from './filter-button.tsx';
import { ProjectList } from './project-list.tsx';
import { SearchHits } from './search-hits.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { SessionListing } from './session-listing.tsx';

interface SessionListProps {
  readonly load: SessionsLoad;
  readonly view: View;
  readonly projects: readonly ListedProject[];
  readonly search: ListSearch;
  readonly onShow: (view: View) => void;
  /** Begins a task in the project that is shown. */
  readonly onNewTask: () => void;
  readonly onNewProject: () => void;
  readonly onPalette: () => void;
  /** Reloads the list of sessions. */
  readonly onChanged: () => void;
  readonly handle: Ref<SessionListHandle>;
}

/** What other parts of the page can do with the list. */
export interface SessionListHandle {
  /** Starts choosing several sessions. */
  readonly select: () => void;
}

const none: readonly SessionSummary[] = [];

const views = [
  { type: 'models', icon: 'model', label: 'sessions.models' },
  { type: 'tools', icon: 'tool', label: 'tools.title' },
  { type: 'compare', icon: 'columns', label: 'compare.title' },
  { type: 'costs', icon: 'coins', label: 'sessions.costs' },
  { type: 'bin', icon: 'bin', label: 'bin.title' },
  { type: 'settings', icon: 'settings', label: 'sessions.settings' },
] as const;

/** The sidebar: projects, sessions by day, and links to the other views. */
export function SessionList({
  load,
  view,
  projects,
  search: found,
  onShow,
  onNewTask,
  handle,
  ...asks
}: SessionListProps) {
  const sessions = load.type === 'ready' ? load.sessions : none;
  const { text, filter, project, setProject } = found;
  const projectName = useProjectNames(projects.map(({ path }) => path));
  const search = useSearch(text);
  // Only a filter by days depends on the time.
  const now = load.type === 'ready' && filter.days !== undefined ? load.readAt : 0;
  const held = useMemo(() => sessionFilterOf(filter, project, now), [filter, project, now]);
  const shown = useShown(
    useMemo(() => asTalks(sessions), [sessions]),
    text,
    { filter: held, projectName },
  );
  const selection = useSelection(
    useMemo(() => shown.map(({ sessionId }) => sessionId), [shown]),
    found.selected,
  );
  const select = (): void => {
    selection.start();
    document.querySelector<HTMLElement>('[data-session]')?.focus();
  };
  useImperativeHandle(handle, () => ({ select }));
  const current = view.type === 'session' ? view.sessionId : null;
  return (
    <nav className="flex h-full min-h-0 flex-col" aria-label={t('sessions.label')}>
      <ListTop {...{ sessions, shown, view, search: found, onShow, onNewTask }} onSelect={select} />
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        <Projects {...{ projects, project, text, view, onShow }} {...asks} onProject={setProject} />
        <SessionListing
          {...{ load, shown, selection, projectName, current }}
          noMatch={text.trim() === '' ? t('sessions.noneFit') : t('sessions.noMatch', { text })}
          onOpen={(sessionId) => onShow({ type: 'session', sessionId })}
        />
        <SearchHits
          load={search}
          isShown={({ sessionId, projectPath }) => isHitShown(sessions, held, { sessionId, projectPath })}
          projectName={({ sessionId, projectPath }) => {
            const key = sessions.find((one) => one.sessionId === sessionId)?.project ?? projectPath;
            return key === null ? null : projectName(key);
          }}
          onShow={({ sessionId, ref, seq }) =>
            onShow({ type: 'session', sessionId, ...(ref === null ? {} : { at: { ref, seq } }) })
          }
        />
      </div>
      {selection.isOn ? (
        <SelectionBar
          {...{ selection, sessions }}
          {...asks}
          onDeleted={(ids) => {
            if (current !== null && ids.includes(current)) onShow({ type: 'new' });
          }}
        />
      ) : (
        <OtherViews {...{ view, onShow }} {...asks} />
      )}
    </nav>
  );
}

interface ListTopProps extends Pick<SessionListProps, 'view' | 'search' | 'onShow' | 'onNewTask'> {
  readonly sessions: readonly SessionSummary[];
  readonly shown: readonly ListedTalk[];
  /** Starts choosing several sessions. */
  readonly onSelect: () => void;
}

/** What begins a task, and what narrows the list. */
function ListTop({ sessions, shown, view, search, onShow, onNewTask, onSelect }: ListTopProps) {
  const { text, filter, setText, setFilter } = search;
  const showTasks = (): void => onShow({ type: 'tasks' });
  return (
    <div className="flex flex-col gap-2 p-3">
      <Button
        look="plain"
        className="w-full justify-start!"
        aria-current={view.type === 'new' ? 'page' : undefined}
        onClick={onNewTask}
      >
        <Icon name="plus" /> {t('sessions.new')}
      </Button>
      <TasksLink {...{ sessions }} isCurrent={view.type === 'tasks'} onClick={showTasks} />
      <div className="flex items-center gap-1">
        <SearchField text={text} onText={setText} />
        <FilterButton {...{ sessions, filter }} onFilter={setFilter} {...{ onSelect }} />
      </div>
      <FilterLine filter={filter} count={shown.length} onFilter={setFilter} />
      <HiddenLine {...{ sessions, shown }} onTasks={showTasks} />
    </div>
  );
}

function SearchField({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  return (
    <div className="relative min-w-0 flex-1">
      <Icon name="search" className="absolute inset-y-0 left-2.5 my-auto size-3.5 text-soft" />
      <input
        id="search-sessions"
        type="search"
        aria-label={t('sessions.filter')}
        placeholder={t('sessions.filter')}
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="h-8 w-full rounded-md border border-transparent bg-chosen pr-2 pl-8 text-sm"
      />
    </div>
  );
}

interface ProjectsProps extends Pick<SessionListProps, 'view' | 'onShow' | 'onNewProject'> {
  readonly projects: readonly ListedProject[];
  readonly project: string | null;
  readonly text: string;
  readonly onProject: (project: string | null) => void;
}

function Projects({ projects, project, text, view, onShow, onNewProject, onProject }: ProjectsProps) {
  const wanted = text.trim().toLowerCase();
  const shown = projects.filter(
    ({ path, name }) => path === project || `${name} ${path}`.toLowerCase().includes(wanted),
  );
  if (shown.length === 0 && wanted !== '') return null;
  return (
    <ProjectList
      projects={shown}
      selected={project}
      onSelect={onProject}
      onSettings={(path) => onShow({ type: 'project', path })}
      onNew={onNewProject}
      current={view.type === 'project' ? view.path : null}
    />
  );
}

/** For a session that is newer than the list, only its project is checked. */
function isHitShown(
  sessions: readonly SessionSummary[],
  filter: SessionFilter,
  { sessionId, projectPath }: Pick<SearchHit, 'sessionId' | 'projectPath'>,
): boolean {
  const session = sessions.find((one) => one.sessionId === sessionId);
  if (session === undefined) return filter.project === undefined || filter.project === projectPath;
  return fitsFilter(session, { ...filter, archived: filter.archived ?? 'too' });
}

function OtherViews({ view, onShow, onPalette }: Pick<SessionListProps, 'view' | 'onShow' | 'onPalette'>) {
  return (
    // In a low window, the sessions need the room.
    <div className="grid border-t border-line p-2 [@media(max-height:47.5rem)]:grid-cols-2">
      {views.map(({ type, icon, label }) => (
        <SideLink
          key={type}
          icon={icon}
          label={t(label)}
          isCurrent={view.type === type}
          onClick={() => onShow({ type })}
        />
      ))}
      <SideLink icon="command" label={t('palette.open')} isCurrent={false} onClick={onPalette} />
    </div>
  );
}

interface HiddenLineProps {
  readonly sessions: readonly SessionSummary[];
  readonly shown: readonly ListedTalk[];
  readonly onTasks: () => void;
}

/** What the search, the filter or the archive hides although it works or waits for the user. It opens the tasks. */
function HiddenLine({ sessions, shown, onTasks }: HiddenLineProps) {
  const { answer, working } = useMemo(() => hiddenNeeds(sessions, shown), [sessions, shown]);
  if (answer + working === 0) return null;
  const kind = answer === 0 ? 'working' : working === 0 ? 'answer' : 'both';
  return (
    <button
      type="button"
      className={`rounded-md px-2 py-1 text-left text-xs hover:bg-chosen ${answer > 0 ? 'text-warn' : 'text-soft'}`}
      onClick={onTasks}
    >
      {t(`sessions.hidden.${kind}`, { answer, working })}
    </button>
  );
}

interface TasksLinkProps extends Pick<SideLinkProps, 'isCurrent' | 'onClick'> {
  readonly sessions: readonly SessionSummary[];
}

/** The way to all tasks, with how many wait for the user and, if none does, how many work. */
function TasksLink({ sessions, ...link }: TasksLinkProps) {
  const { answer, working, look } = useMemo(() => countNeeds(sessions), [sessions]);
  const [need, count] =
    answer > 0
      ? (['answer', answer] as const)
      : working > 0
        ? (['working', working] as const)
        : (['look', look] as const);
  return (
    <SideLink icon="check" label={t('tasks.title')} {...link}>
      {count > 0 && (
        <span className={`ml-auto text-xs tabular-nums ${need === 'answer' ? 'font-semibold text-warn' : 'text-soft'}`}>
          {count} {t(`need.${need}`)}
        </span>
      )}
    </SideLink>
  );
}

interface SideLinkProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
  /** At its right end. */
  readonly children?: ReactNode;
}

function SideLink({ icon, label, isCurrent, onClick, children }: SideLinkProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClick}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft hover:bg-chosen hover:text-ink aria-[current=page]:bg-chosen aria-[current=page]:text-ink"
    >
      <Icon name={icon} /> {label}
      {children}
    </button>
  );
}

/** A search finds archived sessions, too. Without a search, the list leaves them out. */
function useShown(
  sessions: readonly ListedTalk[],
  text: string,
  { filter, projectName }: { readonly filter: SessionFilter; readonly projectName: ProjectNames },
): readonly ListedTalk[] {
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const all = wanted === '' || filter.archived !== undefined ? filter : { ...filter, archived: 'too' as const };
    const known = new Set(sessions.map(({ sessionId }) => sessionId));
    // A child's session is shown below the session that started it, a run in its comparison, and both in search results.
    const isBelow = ({ startedBy, comparison }: SessionSummary): boolean =>
      wanted === '' && (comparison !== undefined || (startedBy !== undefined && known.has(startedBy)));
    const fitting = sessions.filter(
      (session) => !isBelow(session) && fitsFilter(session, all) && fitsText(session, { wanted, projectName }),
    );
    return [...fitting.filter(({ isPinned }) => isPinned), ...fitting.filter(({ isPinned }) => !isPinned)];
  }, [sessions, text, filter, projectName]);
}

function fitsText(
  { title, projectPath, project, tags }: SessionSummary,
  { wanted, projectName }: { readonly wanted: string; readonly projectName: ProjectNames },
): boolean {
  if (wanted === '') return true;
  const place = `${projectPath ?? ''} ${project === null ? '' : projectName(project)}`;
  return `${title} ${place} ${tags.map((tag) => `#${tag}`).join(' ')}`.toLowerCase().includes(wanted);
}
