import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { terminalKeyboard, type Keyboard } from '../questions/ask-user.ts';
import type { Terminal } from './terminal.ts';

/** The line in which a person types, while the program goes on writing above it. */
export interface Prompt {
  readonly reader: Interface;
  /** What is written to it does not run into what was typed so far, which stands below it again. */
  readonly terminal: Terminal;
  /** Shows the prompt, with what was typed so far. */
  readonly show: () => void;
  /** The keyboard belongs to another program meanwhile. */
  readonly without: <T>(work: () => Promise<T>) => Promise<T>;
}

export function openPrompt(terminal: Terminal, keyboard: Keyboard = terminalKeyboard()): Prompt {
  const reader = createInterface({ ...keyboard, prompt: '> ', terminal: terminal.isInteractive });
  const state = { isOpen: true, isAway: false };
  reader.once('close', () => {
    state.isOpen = false;
  });
  const isThere = (): boolean => terminal.isInteractive && state.isOpen && !state.isAway;
  const isTyping = (): boolean => isThere() && reader.line !== '';
  return {
    reader,
    terminal: terminal.isInteractive
      ? aboveTheLine(terminal, { reader, input: keyboard.input, isThere, isTyping })
      : terminal,
    show: () => {
      if (isThere()) reader.prompt(true);
    },
    without: async (work) => {
      // Piped input may have ended; then the keyboard is nobody's.
      if (state.isOpen) reader.pause();
      state.isAway = true;
      try {
        return await work();
      } finally {
        state.isAway = false;
        if (state.isOpen) reader.resume();
      }
    },
  };
}

interface Line {
  readonly reader: Interface;
  readonly input: NodeJS.ReadableStream;
  readonly isThere: () => boolean;
  readonly isTyping: () => boolean;
}

/** Also where the end of a color comes after the break. */
// eslint-disable-next-line no-control-regex -- colors are such
const endsLine = /\n(?:\u001B[\da-f-]*\[\d*m)*$/u;

function aboveTheLine(terminal: Terminal, { reader, input, isThere, isTyping }: Line): Terminal {
  // False while a line stands that has no end, as the status does.
  let isLineStart = true;
  /** Whole lines, in place of what stands on the line: an empty prompt, the status, what was typed. */
  const write = (text: string, to: (text: string) => void): void => {
    if (!isThere()) return to(text);
    const isTyped = isTyping();
    const rows = isTyped ? reader.getCursorPos().rows : 0;
    terminal.clear(rows);
    to(text);
    isLineStart = true;
    if (!isTyped) return;
    // The reader goes up over as many rows as it drew last: they are made, so that it does not go over ours.
    terminal.err('\n'.repeat(drawnRows(reader)));
    reader.prompt(true);
  };
  // The status ends where a line is begun: it would stand behind it, and reach into the next row.
  input.prependListener('keypress', () => {
    if (isLineStart || !isThere() || isTyping()) return;
    terminal.clear();
    reader.prompt(true);
    isLineStart = true;
  });
  const begun = (): void => {
    isLineStart = isTyping();
    if (isLineStart) reader.prompt(true);
  };
  return {
    ...terminal,
    isTyping,
    out: (text) => write(text, terminal.out),
    err: (text) => {
      if (endsLine.test(text)) return write(text, terminal.err);
      terminal.err(text);
      begun();
    },
    clear: (rowsAbove) => {
      terminal.clear(rowsAbove);
      begun();
    },
  };
}

/** Node tells where the cursor is, and not how far above it the next drawing begins. */
function drawnRows(reader: Interface): number {
  const rows: unknown = Reflect.get(reader, 'prevRows');
  return typeof rows === 'number' ? rows : 0;
}
