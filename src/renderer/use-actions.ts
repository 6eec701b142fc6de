import type { RefObject } from 'react';
import { useMemo } from 'react';
import type { SlashName } from '@shared/session/slash-commands.ts';
import { commandsFor } from '@shared/session/slash-commands.ts';
import type { Action } from './lib/input/actions.ts';
import { runAnnouncedAction, useAnnouncements } from './lib/notices/announce.ts';
import { goToNextMode } from './lib/input/next-mode.ts';
import { copyText } from './lib/input/copy-text.ts';
import { useClient } from './lib/connection/core-context.ts';
import { inspectorTabs, isFirstStartWanted, textSize, textSizes, theme, themes } from './lib/window/preferences.ts';
import { t } from './lib/text/translate.ts';
import type { OpenDialog } from './lib/window/navigation.ts';
import type { View } from './lib/window/use-view.ts';
import {
  deleteSession,
  downloadForms,
  downloadSession,
  exportSession,
  forkSession,
  importSession,
  openWindow,
} from './lib/session/session-commands.ts';
import { useIsCommandRefused, useIsWindow } from './lib/connection/use-host-info.ts';
import type { SessionHandle } from './session-screen.tsx';

interface ActionsOptions {
  readonly view: View;
  /** The key of the project of the current view; null: none. */
  readonly project: string | null;
  readonly show: (view: View) => void;
  /** Begins a task in the project that is shown. */
  readonly newTask: () => void;
  readonly session: RefObject<SessionHandle | null>;
  readonly openDialog: OpenDialog;
  readonly toggleSidebar: () => void;
  readonly searchSessions: () => void;
  readonly selectSessions: () => void;
}

/** All actions of the window in their current state. */
export function useActions({
  view,
  project,
  show,
  newTask,
  session,
  openDialog,
  toggleSidebar,
  searchSessions,
  selectSessions,
}: ActionsOptions): readonly Action[] {
  const client = useClient();
  const isWindow = useIsWindow();
  const isMakingRefused = useIsCommandRefused('projects.create');
  const lastOffer = useAnnouncements().findLast(({ action }) => action !== undefined);
  const sessionId = view.type === 'session' ? view.sessionId : null;
  return useMemo(() => {
    const reach = { client, navigate: show };
    const always: readonly Action[] = [
      ...beginActions({ newTask, openDialog, isMakingRefused }),
      { id: 'search', label: t('action.search'), keys: 'Mod+Shift+F', run: searchSessions },
      { id: 'select', label: t('action.select'), run: selectSessions },
      {
        id: 'undo',
        label: t('action.undo'),
        isOff: lastOffer === undefined,
        run: () => lastOffer !== undefined && runAnnouncedAction(lastOffer),
      },
      { id: 'sidebar', label: t('action.sidebar'), keys: 'Mod+B', run: toggleSidebar },
      {
        id: 'mode',
        label: t('action.mode'),
        keys: 'Mod+Shift+M',
        isOff: view.type !== 'new' && view.type !== 'session',
        run: goToNextMode,
      },
      ...viewActions(show),
      {
        id: 'project',
        label: t('action.project'),
        isOff: project === null,
        run: () => show(project === null ? { type: 'new' } : { type: 'project', path: project }),
      },
      {
        id: 'window',
        label: t('action.window'),
        keys: 'Mod+Shift+N',
        isOff: !isWindow,
        run: () => void openWindow(reach),
      },
      { id: 'import', label: t('action.import'), isOff: !isWindow, run: () => void importSession(reach) },
      ...settingsActions(show),
      ...lookActions(show),
    ];
    return [...sessionActions({ reach, sessionId, session, isWindow }), ...always];
  }, [
    client,
    isWindow,
    isMakingRefused,
    view.type,
    sessionId,
    project,
    lastOffer,
    show,
    session,
    newTask,
    openDialog,
    toggleSidebar,
    searchSessions,
    selectSessions,
  ]);
}

interface BeginOptions extends Pick<ActionsOptions, 'newTask' | 'openDialog'> {
  readonly isMakingRefused: boolean;
}

function beginActions({ newTask, openDialog, isMakingRefused }: BeginOptions): readonly Action[] {
  return [
    { id: 'palette', label: t('action.palette'), keys: 'Mod+K', run: () => openDialog({ type: 'palette' }) },
    { id: 'new', label: t('action.new'), keys: 'Mod+N', run: newTask },
    {
      id: 'new-project',
      label: t('project.new'),
      isOff: isMakingRefused,
      run: () => openDialog({ type: 'new-project' }),
    },
  ];
}

function viewActions(show: (view: View) => void): readonly Action[] {
  return [
    { id: 'tasks', label: t('action.tasks'), keys: 'Mod+Shift+L', run: () => show({ type: 'tasks' }) },
    { id: 'models', label: t('action.models'), keys: 'Mod+M', run: () => show({ type: 'models' }) },
    { id: 'tools', label: t('action.tools'), run: () => show({ type: 'tools' }) },
    { id: 'assistants', label: t('action.assistants'), run: () => show({ type: 'assistants' }) },
    { id: 'compare', label: t('action.compare'), run: () => show({ type: 'compare' }) },
    { id: 'costs', label: t('action.costs'), run: () => show({ type: 'costs' }) },
    { id: 'receipt', label: t('receipt.open'), run: () => show({ type: 'receipt' }) },
    { id: 'bin', label: t('action.bin'), run: () => show({ type: 'bin' }) },
  ];
}

function settingsActions(show: (view: View) => void): readonly Action[] {
  return [
    { id: 'settings', label: t('action.settings'), keys: 'Mod+,', run: () => show({ type: 'settings' }) },
    { id: 'shortcuts', label: t('action.shortcuts'), run: () => show({ type: 'settings', at: 'shortcuts' }) },
    { id: 'machine', label: t('action.machine'), run: () => show({ type: 'settings', at: 'machine' }) },
  ];
}

/** Slash commands that other actions already cover. */
const elsewhere: readonly SlashName[] = ['help', 'stop', 'diff', 'cost', 'route', 'assistant'];

interface SessionActionsOptions {
  readonly reach: Parameters<typeof importSession>[0];
  /** Null: no session is shown, so its actions are unavailable. */
  readonly sessionId: string | null;
  readonly session: ActionsOptions['session'];
  readonly isWindow: boolean;
}

function sessionActions({ reach, sessionId, session, isWindow }: SessionActionsOptions): readonly Action[] {
  const id = sessionId ?? '';
  const actions: readonly Action[] = [
    { id: 'message', label: t('action.message'), keys: 'Mod+L', run: () => session.current?.focusComposer() },
    {
      id: 'stop',
      label: t('action.stop'),
      keys: 'Mod+.',
      // The session itself shows whether there was something to stop.
      run: () => void reach.client.sessions.cancel({ sessionId: id }).catch(() => undefined),
    },
    { id: 'approval', label: t('action.approval'), keys: 'Mod+Shift+A', run: () => session.current?.focusApproval() },
    { id: 'inspector', label: t('action.inspector'), keys: 'Mod+J', run: () => session.current?.toggleInspector() },
    ...inspectorTabs.map((tab, index) => ({
      id: `inspect-${tab}`,
      label: t('action.inspect', { tab: t(`inspector.${tab}`) }),
      keys: `Mod+${index + 1}`,
      run: () => session.current?.inspect(tab),
    })),
    { id: 'rename', label: t('action.rename'), run: () => session.current?.rename() },
    { id: 'pin', label: t('action.pin'), run: () => session.current?.togglePin() },
    { id: 'archive', label: t('action.archive'), run: () => session.current?.toggleArchive() },
    { id: 'tags', label: t('action.tags'), run: () => session.current?.tag() },
    { id: 'fork', label: t('action.fork'), run: () => void forkSession(reach, id, null) },
    {
      id: 'session-window',
      label: t('action.sessionWindow'),
      isOff: !isWindow,
      run: () => void openWindow(reach, id),
    },
    { id: 'export', label: t('action.export'), isOff: !isWindow, run: () => void exportSession(reach, id) },
    ...downloadForms.map((form) => ({
      id: `download-${form}`,
      label: t(`action.download.${form}`),
      isOff: isWindow,
      run: () => void downloadSession(reach, id, form),
    })),
    { id: 'delete', label: t('action.delete'), run: () => void deleteSession(reach, id) },
    ...commandsFor('window')
      .filter(({ name }) => !elsewhere.includes(name))
      .map((command) => ({
        id: `slash-${command.name}`,
        label: t('action.slash', { name: command.name, text: t(`slash.${command.name}`) }),
        run: () => session.current?.command(command),
      })),
    {
      id: 'session-receipt',
      label: t('receipt.open.session'),
      run: () => reach.navigate({ type: 'receipt', about: { type: 'session', sessionId: id } }),
    },
    { id: 'copy-id', label: t('action.copyId'), run: () => void copyText(id) },
  ];
  return sessionId === null ? actions.map((action) => ({ ...action, isOff: true })) : actions;
}

/** The look of the window, and its first steps again. */
function lookActions(show: (view: View) => void): readonly Action[] {
  return [
    {
      id: 'first-steps',
      label: t('action.firstSteps'),
      run: () => {
        isFirstStartWanted.set(true);
        show({ type: 'new' });
      },
    },
    ...themes.map((name) => ({
      id: `theme-${name}`,
      label: t('action.theme', { theme: t(`settings.theme.${name}`) }),
      run: () => theme.set(name),
    })),
    ...textSizes.map((size) => ({
      id: `text-size-${size}`,
      label: t('action.textSize', { size: t(`settings.textSize.${size}`) }),
      run: () => textSize.set(size),
    })),
  ];
}
