import type { ReactNode, RefObject } from 'react';
import { Suspense, lazy, useCallback, useEffect, useRef, useState, useMemo } from 'react';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { HostPush } from '@shared/contract/host-contract.ts';
import type { SessionListHandle } from './features/sessions/session-list.tsx';
import NewProject from './features/sessions/new-project.tsx';
import { SessionList } from './features/sessions/session-list.tsx';
import { asTalks } from '@shared/session/session-filter.ts';
import { ownFirst } from '@shared/session/session-news.ts';
import { announce, dropStaleAnnouncements } from './lib/notices/announce.ts';
import { followDefaults } from './lib/models/session-choice.ts';
import { isSidebarOpen } from './lib/window/preferences.ts';
import type { Action } from './lib/input/actions.ts';
import { useActionKeys } from './lib/input/actions.ts';
import { useClient } from './lib/connection/core-context.ts';
import { t } from './lib/text/translate.ts';
import type { SidePanel } from './lib/window/use-side-panel.ts';
import { useSidePanel } from './lib/window/use-side-panel.ts';
import { useListSearch } from './lib/window/use-list-search.ts';
import type { SessionsLoad } from './lib/session/use-sessions.ts';
import { useSessions } from './lib/session/use-sessions.ts';
import type { View } from './lib/window/use-view.ts';
import { useView } from './lib/window/use-view.ts';
import { useStableCallback } from './lib/drawing/use-stable-callback.ts';
import { whenIdle } from './lib/drawing/when-idle.ts';
import { MainArea } from './main-area.tsx';
import type { OpenDialog, WindowDialog } from './lib/window/navigation.ts';
import { ActionsContext, DialogContext, NavigationContext } from './lib/window/navigation.ts';
import { useProjects } from './lib/window/use-projects.ts';
import { useHostPushes } from './lib/connection/use-host-info.ts';
import { useNotifications } from './lib/notices/use-notifications.ts';
import { AnnouncementBar } from './ui/notices/announcement.tsx';
import type { SessionHandle } from './session-screen.tsx';
import { Button } from './ui/controls/button.tsx';
import { ErrorBoundary } from './ui/layout/error-boundary.tsx';
import { Icon } from './ui/layout/icon.tsx';
import { loadMarkdown } from './ui/content/markdown.tsx';
import { useActions } from './use-actions.ts';
import { useShortcuts } from './lib/input/use-shortcuts.ts';
import { useQueryClient } from '@tanstack/react-query';

const retryMs = 2_000;
const noSessions: readonly SessionSummary[] = [];

/** Settings that the list of models depends on. */
const ofModels = /^(?:policy|local|cloud|modelOrder|providers|prices|models|projectModels|energy)\b/u;

/** What the page of a project shows beside settings, by the names of changes that it depends on. */
const ofProjects = [
  ['project-page', /^projects\b/u],
  ['knowledge', /^(?:knowledge|projects)\b/u],
  ['memory', /^(?:memory|projects)\b/u],
  ['skills', /^skills/u],
  ['templates', /^skills/u],
] as const;

/** Reloads changed settings, whether they changed here, in another window or at the terminal. */
export function useSettingsWatch(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      for await (const { keys } of await client.settings.watch(undefined, { signal })) {
        await queries.invalidateQueries({ queryKey: ['settings'] });
        followDefaults(keys);
        // At the beginning, changes may have been missed.
        const isBegin = keys.length === 0;
        for (const [query, pattern] of ofProjects)
          if (isBegin || keys.some((key) => pattern.test(key))) await queries.invalidateQueries({ queryKey: [query] });
        if (keys.some((key) => ofModels.test(key))) await queries.invalidateQueries({ queryKey: ['models'] });
      }
    };
    const keepOn = async (): Promise<void> => {
      while (!signal.aborted) {
        // A broken stream reconnects, and first says to reload everything.
        await follow().catch(() => undefined);
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    void keepOn();
    return () => stop.abort();
  }, [client, queries]);
}

const loadPalette = () => import('./features/palette/palette.tsx');
const Palette = lazy(loadPalette);
const MoveDialog = lazy(() => import('./features/session-header/move-dialog.tsx'));
const GitDialog = lazy(() => import('./features/session-header/git/git-dialog.tsx'));
const AskAgain = lazy(() => import('./ui/model-picker/ask-again.tsx'));

/** Below this width, in rem, the list covers the view instead of being beside it. */
const narrowRem = 51;

/** The window: the list at the side, one view in the middle, and the actions. */
export function Workbench({ isConnected }: { readonly isConnected: boolean }) {
  const client = useClient();
  const { load, refresh } = useSessions(client);
  const [view, setView] = useView();
  const side = useSidePanel(isSidebarOpen, narrowRem, true);
  const { over, close, open, openPalette } = useOver();
  const session = useRef<SessionHandle>(null);
  const list = useRef<SessionListHandle>(null);
  const { closeOver } = side;
  const show = useCallback(
    (next: View): void => {
      dropStaleAnnouncements();
      setView(next);
      closeOver();
      refresh();
    },
    [setView, closeOver, refresh],
  );
  const projects = useProjects(load.type === 'ready' ? load.sessions : noSessions);
  const search = useListSearch(projects);
  const project = projectOf(view, load);
  const newTask = useNewTask(search.project ?? project, show);
  const actions = useActionShortcuts(
    useActions({ view, project, show, newTask, session, openDialog: open, ...useListActions(side, list) }),
  );
  useActionKeys(actions);
  useSettingsWatch();
  useEffect(() => whenIdle(loadMarkdown), []);
  // Else it would miss the first words of a user who types on after its keys.
  useEffect(() => whenIdle(() => void loadPalette()), []);
  usePushesInto(actions, view, show);
  useNotifications({ load, view, show });
  return (
    <Ways {...{ show, actions, open }}>
      <div className="relative flex min-h-0 flex-1">
        {side.isOpen && (
          <SideList isOver={side.isOver} onClose={side.toggle}>
            <SessionList
              {...{ load, view, projects, search }}
              onShow={show}
              onNewTask={newTask}
              onNewProject={() => open({ type: 'new-project' })}
              onPalette={openPalette}
              onChanged={refresh}
              handle={list}
            />
          </SideList>
        )}
        <div
          className="group/main relative flex min-w-0 flex-1 flex-col"
          data-unlisted={side.isOpen ? undefined : true}
        >
          {!side.isOpen && <MenuButton onClick={side.toggle} />}
          <AnnouncementBar />
          <ErrorBoundary key={keyOf(view)}>
            <MainArea
              view={view}
              load={load}
              projects={projects}
              actions={actions}
              session={session}
              isConnected={isConnected}
              hasMenuButton={!side.isOpen}
              onShow={show}
              onStatus={refresh}
              onPalette={openPalette}
            />
          </ErrorBoundary>
        </div>
        <Suspense>{over !== null && <Overlay {...{ over, load, actions }} onShow={show} onClose={close} />}</Suspense>
      </div>
    </Ways>
  );
}

/** Begins a task in this project, or where the last one was. */
function useNewTask(project: string | null, show: (view: View) => void): () => void {
  return useCallback(() => show({ type: 'new', ...(project === null ? {} : { project }) }), [show, project]);
}

interface WaysProps {
  readonly show: (view: View) => void;
  readonly actions: readonly Action[];
  readonly open: OpenDialog;
  readonly children: ReactNode;
}

/** What every part of the page can reach. */
function Ways({ show, actions, open, children }: WaysProps) {
  return (
    <NavigationContext value={show}>
      <ActionsContext value={actions}>
        <DialogContext value={open}>{children}</DialogContext>
      </ActionsContext>
    </NavigationContext>
  );
}

/** What lies over the window, and what opens it. */
function useOver() {
  const [over, setOver] = useState<WindowDialog | null>(null);
  const from = useRef<HTMLElement | null>(null);
  // Only the list of actions gives way: what was typed in a dialog, and what works there, would be lost.
  const open = useStableCallback<Parameters<OpenDialog>>((dialog, opener = null) => {
    if (over !== null && over.type !== 'palette') return;
    from.current = opener;
    setOver(dialog);
  });
  const close = useCallback(() => {
    setOver(null);
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) from.current?.focus();
    });
  }, []);
  const openPalette = useCallback(() => open({ type: 'palette' }), [open]);
  return { over, close, open, openPalette };
}

/** Actions of other parts of the page on the list. */
function useListActions(
  { toggle, open }: SidePanel,
  list: RefObject<SessionListHandle | null>,
): {
  readonly toggleSidebar: () => void;
  readonly searchSessions: () => void;
  readonly selectSessions: () => void;
} {
  const searchSessions = useCallback(() => {
    open();
    // Waits until it is rendered.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('#search-sessions')?.focus());
  }, [open]);
  const selectSessions = useCallback(() => {
    open();
    requestAnimationFrame(() => list.current?.select());
  }, [open, list]);
  return { toggleSidebar: toggle, searchSessions, selectSessions };
}

/** The key of the project that the view belongs to. */
function projectOf(view: View, load: SessionsLoad): string | null {
  if (view.type === 'project') return view.path;
  if (view.type === 'new') return view.project ?? null;
  if (view.type !== 'session' || load.type !== 'ready') return null;
  return load.sessions.find(({ sessionId }) => sessionId === view.sessionId)?.project ?? null;
}

function keyOf(view: View): string {
  if (view.type === 'session') return view.sessionId;
  return view.type === 'project' ? view.path : view.type;
}

function Overlay({ over, ...props }: OpenPaletteProps & { readonly over: WindowDialog }) {
  const { onShow, onClose } = props;
  switch (over.type) {
    case 'palette':
      return <OpenPalette {...props} />;
    case 'new-project':
      return <NewProject onMade={(path) => onShow({ type: 'project', path })} onClose={onClose} />;
    case 'move':
      return <MoveDialog sessionId={over.sessionId} onClose={onClose} />;
    case 'git':
      return <GitDialog sessionId={over.sessionId} onClose={onClose} />;
    case 'ask-again': {
      const { type: _, ...asked } = over;
      return <AskAgain {...asked} onClose={onClose} />;
    }
    default:
      return over satisfies never;
  }
}

interface OpenPaletteProps {
  readonly load: SessionsLoad;
  readonly actions: readonly Action[];
  readonly onShow: (view: View) => void;
  readonly onClose: () => void;
}

/** The palette with all current actions and sessions. */
function OpenPalette({ load, actions, onShow, onClose }: OpenPaletteProps) {
  return (
    <Palette
      actions={actions.filter(({ isOff = false }) => !isOff)}
      sessions={load.type === 'ready' ? ownFirst(asTalks(load.sessions)) : []}
      onSession={(sessionId) => onShow({ type: 'session', sessionId })}
      onClose={onClose}
    />
  );
}

/** Shows what the app's menu, its notifications and links ask for. */
function usePushesInto(actions: readonly Action[], view: View, show: (view: View) => void): void {
  const take = useStableCallback((push: HostPush): void => {
    if (push.type === 'session') show(push);
    // A file that is opened after a folder belongs to the same task.
    else if (push.type === 'new') show({ ...projectKept(view), ...push });
    else if (push.type === 'problem') announce({ kind: 'error', text: push.text });
    else actions.find(({ id, isOff = false }) => id === push.id && !isOff)?.run();
  });
  useHostPushes(take);
}

function projectKept(view: View): { readonly project?: string } {
  return view.type === 'new' && view.project !== undefined ? { project: view.project } : {};
}

interface SideListProps {
  readonly isOver: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The list beside the view, or over it if there is no room. Then a click outside closes it. */
function SideList({ isOver, onClose, children }: SideListProps) {
  if (!isOver) return <aside className="w-64 shrink-0 border-r border-line bg-side">{children}</aside>;
  return (
    <>
      <aside className="absolute inset-y-0 left-0 z-30 w-72 max-w-[85vw] border-r border-line bg-side shadow-float">
        {children}
      </aside>
      <button
        type="button"
        aria-label={t('app.closeList')}
        className="absolute inset-0 z-20 bg-ink/20 dark:bg-paper/60"
        onClick={onClose}
      />
    </>
  );
}

function MenuButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button
      size="icon"
      className="absolute top-2 left-2 z-10"
      aria-label={t('app.menu')}
      title={t('app.menu')}
      onClick={onClick}
    >
      <Icon name="menu" />
    </Button>
  );
}

/** The actions with the user's own shortcuts. An action whose default shortcut was given to another one has none. */
export function useActionShortcuts(actions: readonly Action[]): readonly Action[] {
  const [own] = useShortcuts();
  return useMemo(() => {
    const taken = new Set(Object.values(own));
    return actions.map((action) => {
      const keys = own[action.id];
      if (keys !== undefined) return { ...action, keys };
      if (action.keys === undefined || !taken.has(action.keys)) return action;
      const { keys: _, ...without } = action;
      return without;
    });
  }, [actions, own]);
}
