import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command-context.ts';

export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export const terminalKeyboard = (): Keyboard => ({ input: process.stdin, output: process.stderr });

/** Questions to the person at the terminal, one after the other. */
export interface UserPrompter {
  /** Rejects at Ctrl-C. */
  readonly ask: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** To be closed by whoever opened it: the keyboard is its own meanwhile. */
export function openUserPrompter(
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard: Keyboard = terminalKeyboard(),
): UserPrompter {
  const reader = createInterface(keyboard);
  // What the reader writes passes nothing else on its way out.
  return { ask: (question) => reader.question(terminal.shown(question), { signal }), close: () => reader.close() };
}
