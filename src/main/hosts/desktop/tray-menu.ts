import { seenWords } from '@shared/text/seen-text.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { texts } from './desktop-texts.ts';

/** A line of the tray's menu; null: a line between two groups. No `run`: it only says something. */
export type TrayLine = { readonly label: string; readonly run?: () => void } | null;

/** The tray of the system. Tests put another in its place: a machine without a desktop has none. */
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

/** More would be no menu. */
const mostSessions = 8;
const mostCharacters = 60;

export interface TrayMenu {
  /** Whether there is a tray. */
  readonly setOn: (isOn: boolean) => void;
  readonly isOn: () => boolean;
  /** What runs now. */
  readonly setSessions: (sessions: readonly SessionSummary[]) => void;
}

/** Dewpoint in the tray: what runs now, and the way back to it. Its menu is only made again when it says something else. */
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

/** On one line, as short as a menu needs it. A `&` would mark a key. */
function shortTitle(title: string): string {
  const words = seenWords(title === '' ? texts['tray.title'] : title).replaceAll('&', '&&');
  return words.length <= mostCharacters ? words : `${words.slice(0, mostCharacters - 1)}…`;
}
