import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { terminalKeyboard, type Keyboard } from '../questions/ask-user.ts';
import type { Terminal } from '../../text/terminal.ts';

/** The line in which the user types, while the program continues to write above it. */
export interface Prompt {
  readonly reader: Interface;
  /** Output to this terminal does not mix with typed text, which is shown again below it. */
  readonly terminal: Terminal;
  /** Shows the prompt again, with the text typed so far. */
  readonly show: () => void;
  /** Leaves the keyboard to another program until `work` has ended. */
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
      // After the end of piped input there is no reader to pause.
      if (state.isOpen) reader.pause();
      state.isAway = true;
      // A paused reader would still take every key that another one reads.
      const listeners = keyboard.input.listeners('keypress');
      keyboard.input.removeAllListeners('keypress');
      try {
        return await work();
      } finally {
        state.isAway = false;
        if (state.isOpen) {
          const listen = keyboard.input.on.bind(keyboard.input);
          for (const listener of listeners) Reflect.apply(listen, undefined, ['keypress', listener]);
          // The other reader switched it off at its end, and Ctrl-C would then leave the conversation.
          if (terminal.isInteractive && keyboard.input instanceof ReadStream) keyboard.input.setRawMode(true);
          reader.resume();
        }
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

/** A line break at the end of a text. Codes that end a color may follow. */
// eslint-disable-next-line no-control-regex -- colors are such
const endsLine = /\n(?:\u001B[\da-f-]*\[\d*m)*$/u;

function aboveTheLine(terminal: Terminal, { reader, input, isThere, isTyping }: Line): Terminal {
  // False after text without a line break, such as the status.
  let isLineStart = true;
  /** Writes whole lines in place of the current line: an empty prompt, the status, or typed text. */
  const write = (text: string, to: (text: string) => void): void => {
    if (!isThere()) return to(text);
    const isTyped = isTyping();
    const rows = isTyped ? reader.getCursorPos().rows : 0;
    terminal.clear(rows);
    to(text);
    isLineStart = true;
    if (!isTyped) return;
    // The reader moves up by as many rows as it drew last. These rows are added first, so that it does not overwrite
    // the output.
    terminal.err('\n'.repeat(drawnRows(reader)));
    reader.prompt(true);
  };
  // The first typed key removes the status. Otherwise the status would remain behind the text and reach into the next
  // row.
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

/** Node reports the position of the cursor, but not how far above it the next drawing begins. */
function drawnRows(reader: Interface): number {
  const rows: unknown = Reflect.get(reader, 'prevRows');
  return typeof rows === 'number' ? rows : 0;
}
