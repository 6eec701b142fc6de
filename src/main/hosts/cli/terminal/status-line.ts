import type { Transient } from '@shared/events/events.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { Terminal } from '../../text/terminal.ts';
import { oneLine, seconds } from '../../text/terminal.ts';

/**
 * The current activity on the last line of a terminal. In a file or a log, a line of its own for what takes long, which
 * says how long it may take.
 */
export interface StatusLine {
  /** Starts an activity. `id` is the call or tool call that later pushes name; it is stopped after `limitMs`. */
  begin(id: string, title: string, limitMs?: number): void;
  end(): void;
  take(transient: Transient): void;
  /** Adds to the shown cost. Null makes it unpriced. */
  spend(costUsd: number | null): void;
  /** Removes the line so that another can be written. */
  clear(): void;
}

interface Flight {
  readonly id: string;
  readonly startedAt: number;
  readonly title: string;
  readonly limitMs: number | undefined;
  tokens: number;
  /** The first tokens that came. Null until then. */
  first: { readonly at: number; readonly tokens: number } | null;
  phase: string;
}

const refreshMs = 120;
/** In a log: from one line about what is waited for to the next. After these, one each minute. */
const reminderGapsMs = [5_000, 10_000, 15_000, 30_000];
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const phaseWords = {
  waiting: 'waiting for the engine',
  loading: 'loading the model',
  prefill: 'reading',
  decode: 'writing',
} as const;

export function createStatusLine(terminal: Terminal, now: () => number): StatusLine {
  let flight: Flight | null = null;
  let isShown = false;
  let frame = 0;
  let costUsd: number | null = 0;
  let timer: ReturnType<typeof setInterval> | null = null;
  let reminder: ReturnType<typeof setTimeout> | undefined;

  const clear = (): void => {
    if (isShown) terminal.clear();
    isShown = false;
  };
  const draw = (): void => {
    if (flight === null) return;
    // Never overwrites what the user types.
    if (terminal.isTyping?.() === true) return clear();
    frame += 1;
    const text = `${spinner[frame % spinner.length]} ${describeFlight(flight, now())}  ${moneyText(costUsd)}`;
    terminal.clear();
    terminal.err(terminal.colors.dim(oneLine(text, terminal.columns - 1)));
    isShown = true;
  };
  const remind = (begun: Flight, times: number): void => {
    const waitMs = reminderGapsMs[times] ?? 60_000;
    clearTimeout(reminder);
    reminder = setTimeout(() => {
      if (flight !== begun) return;
      terminal.err(terminal.colors.dim(`    still running: ${oneLine(describeFlight(begun, now(), ', '), 200)}\n`));
      remind(begun, times + 1);
    }, waitMs);
    reminder.unref();
  };
  return {
    clear,
    begin(id, title, limitMs) {
      const begun = { id, startedAt: now(), title, limitMs, tokens: 0, first: null, phase: '' };
      flight = begun;
      if (terminal.isLive) timer ??= setInterval(draw, refreshMs);
      else remind(begun, 0);
    },
    end() {
      flight = null;
      clear();
      if (timer !== null) clearInterval(timer);
      timer = null;
      clearTimeout(reminder);
    },
    take(transient) {
      if (flight !== null) update(flight, transient, now());
    },
    spend(amount) {
      costUsd = costUsd === null || amount === null ? null : costUsd + amount;
    },
  };
}

function describeFlight(flight: Flight, at: number, between = '  '): string {
  const tokens = flight.tokens > 0 ? ` ${flight.tokens} tok${speedOf(flight, at)}` : '';
  const most = flight.limitMs === undefined ? '' : ` of at most ${seconds(flight.limitMs)}`;
  const parts = [flight.title, `${flight.phase}${tokens}`.trim(), `${seconds(at - flight.startedAt)}${most}`];
  return parts.filter((part) => part !== '').join(between);
}

/** The speed of writing alone, without the time for waiting and reading. */
function speedOf({ first, tokens }: Flight, at: number): string {
  const writtenMs = first === null ? 0 : at - first.at;
  if (first === null || writtenMs < 500) return '';
  return ` ${((tokens - first.tokens) / (writtenMs / 1000)).toFixed(1)} tok/s`;
}

function update(flight: Flight, transient: Transient, at: number): void {
  if (transient.type === 'output-chunk') {
    if (transient.toolCallId !== flight.id) return;
    const last = transient.text.split('\n').findLast((part) => part.trim() !== '');
    if (last !== undefined) flight.phase = oneLine(last, 60);
    return;
  }
  if (transient.callId !== flight.id) return;
  if (transient.type === 'call-progress') {
    const share =
      transient.total === null || transient.total === 0
        ? ''
        : ` ${Math.round((transient.done / transient.total) * 100)} %`;
    const { phase, total, limitMs } = transient;
    flight.phase =
      phase === 'prefill' && total === null && limitMs !== undefined
        ? `waiting for the first word (${Math.round(limitMs / 1000)} s at most)`
        : `${phaseWords[phase]}${share}`;
  } else {
    flight.tokens += transient.pieces ?? 1;
    flight.first ??= { at, tokens: flight.tokens };
    flight.phase = transient.type === 'text-delta' ? 'writing' : 'thinking';
  }
}
