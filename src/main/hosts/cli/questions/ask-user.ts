import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../../text/command-context.ts';

export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export const terminalKeyboard = (): Keyboard => ({ input: process.stdin, output: process.stderr });

/** Handled like the signal, which a terminal does not send while a question reads single keys. */
const interruptProgram = (): void => void process.emit('SIGINT');

/** Asks the user at the terminal, one question after the other. */
export interface UserPrompter {
  /** Rejects at Ctrl-C, at the end of the input, and when the terminal closes. */
  readonly ask: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** The caller must close it: it uses the keyboard until then. `interrupt` is called at Ctrl-C, and by default stops. */
export function openUserPrompter(
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard: Keyboard = terminalKeyboard(),
  interrupt: () => void = interruptProgram,
): UserPrompter {
  const reader = createInterface(keyboard);
  const left = new AbortController();
  const leave = (): void => {
    interrupt();
    left.abort();
  };
  reader.on('SIGINT', leave);
  // A closed terminal cannot take its keys back, which may fail more than once.
  reader.once('error', leave);
  reader.on('error', () => undefined);
  // A reader that is closed leaves its open question without an answer.
  reader.once('close', () => left.abort());
  const ended = AbortSignal.any([signal, left.signal]);
  // The reader writes the question itself, so the text is made safe here.
  return {
    ask: (question) => reader.question(terminal.shown(question), { signal: ended }),
    close: () => reader.close(),
  };
}
