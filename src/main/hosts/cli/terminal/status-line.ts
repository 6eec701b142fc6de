import type { Transient } from '@shared/events/events.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { Terminal } from './terminal.ts';
import { oneLine, seconds } from './terminal.ts';

/** The current activity on the last line of a terminal. Shows nothing if nobody watches. */
export interface StatusLine {
  /** Starts an activity. `id` is the call or tool call that later pushes name. */
  begin(id: string, title: string): void;
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
  tokens: number;
  /** The first tokens that came. Null until then. */
  first: { readonly at: number; readonly tokens: number } | null;
  phase: string;
}

const refreshMs = 120;
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
  return {
    clear,
    begin(id, title) {
      flight = { id, startedAt: now(), title, tokens: 0, first: null, phase: '' };
      if (terminal.isLive) timer ??= setInterval(draw, refreshMs);
    },
    end() {
      flight = null;
      clear();
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
    take(transient) {
      if (flight !== null) update(flight, transient, now());
    },
    spend(amount) {
      costUsd = costUsd === null || amount === null ? null : costUsd + amount;
    },
  };
}

function describeFlight(flight: Flight, at: number): string {
  const tokens = flight.tokens > 0 ? ` ${flight.tokens} tok${speedOf(flight, at)}` : '';
  return `${flight.title}  ${flight.phase}${tokens}  ${seconds(at - flight.startedAt)}`;
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
