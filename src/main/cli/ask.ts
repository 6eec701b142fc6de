import { createInterface } from 'node:readline/promises';
import type { CommandContext } from './context.ts';

export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export const ownKeyboard = (): Keyboard => ({ input: process.stdin, output: process.stderr });

/** Questions to the person at the terminal, one after the other. */
export interface Asker {
  /** Rejects at Ctrl-C. */
  readonly ask: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** To be closed by whoever opened it: the keyboard is its own meanwhile. */
export function openAsker(
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard: Keyboard = ownKeyboard(),
): Asker {
  const reader = createInterface(keyboard);
  // What the reader writes passes nothing else on its way out.
  return { ask: (question) => reader.question(terminal.shown(question), { signal }), close: () => reader.close() };
}
