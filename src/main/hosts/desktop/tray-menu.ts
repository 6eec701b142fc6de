import { seenWords } from '@shared/text/seen-text.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { texts } from './desktop-texts.ts';

/** A line of the tray menu. Null: a separator. Without `run` it is only information. */
export type TrayLine = { readonly label: string; readonly run?: () => void } | null;

/** The system tray. Tests replace it, because a machine without a desktop has none. */
export interface SystemTray {
  readonly show: (title: string, lines: readonly TrayLine[]) => void;
  readonly remove: () => void;
}

export interface TrayActions {
  readonly open: () => void;
  readonly newTask: () => void;
  readonly session: (sessionId: string) => void;
  readonly quit: () => void;
}

/** A longer menu would not be usable. */
const mostSessions = 8;
const mostCharacters = 60;

export interface TrayMenu {
  /** Shows or hides the tray icon. */
  readonly setOn: (isOn: boolean) => void;
  readonly isOn: () => boolean;
  /** The current sessions. */
  readonly setSessions: (sessions: readonly SessionSummary[]) => void;
}

/** Dewpoint in the tray: running sessions, and the way back to them. The menu is rebuilt only if its text changes. */
export function createTrayMenu(tray: SystemTray, actions: TrayActions): TrayMenu {
  let isOn = false;
  let busy: readonly SessionSummary[] = [];
  let shown = '';
  const draw = (): void => {
    const lines = linesOf(busy, actions);
    const title = busy.length === 0 ? texts['tray.title'] : texts['tray.busy'].replace('{count}', String(busy.length));
    const now = JSON.stringify([title, lines]);
    if (!isOn || now === shown) return;
    shown = now;
    tray.show(title, lines);
  };
  return {
    isOn: () => isOn,
    setOn: (next) => {
      if (next === isOn) return;
      isOn = next;
      shown = '';
      if (isOn) draw();
      else tray.remove();
    },
    setSessions: (sessions) => {
      busy = sessions.filter(({ status }) => status !== 'idle');
      draw();
    },
  };
}

function linesOf(busy: readonly SessionSummary[], actions: TrayActions): readonly TrayLine[] {
  const running = busy.slice(0, mostSessions).map(({ sessionId, title, status }) => ({
    label: texts[status === 'waiting' ? 'tray.waiting' : 'tray.running'].replace('{title}', () => shortTitle(title)),
    run: () => actions.session(sessionId),
  }));
  return [
    ...(running.length === 0 ? [{ label: texts['tray.nothing'] }] : running),
    null,
    { label: texts['menu.new'], run: actions.newTask },
    { label: texts['tray.open'], run: actions.open },
    null,
    { label: texts['tray.quit'], run: actions.quit },
  ];
}

/** A short title on one line. A single `&` would mark a shortcut, so it is doubled. */
function shortTitle(title: string): string {
  const words = seenWords(title === '' ? texts['tray.title'] : title).replaceAll('&', '&&');
  return words.length <= mostCharacters ? words : `${words.slice(0, mostCharacters - 1)}…`;
}
