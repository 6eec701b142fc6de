import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command-context.ts';

export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export const terminalKeyboard = (): Keyboard => ({ input: process.stdin, output: process.stderr });

/** Asks the user at the terminal, one question after the other. */
export interface UserPrompter {
  /** Rejects at Ctrl-C. */
  readonly ask: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** The caller must close it: it uses the keyboard until then. */
export function openUserPrompter(
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard: Keyboard = terminalKeyboard(),
): UserPrompter {
  const reader = createInterface(keyboard);
  // The reader writes the question itself, so the text is made safe here.
  return { ask: (question) => reader.question(terminal.shown(question), { signal }), close: () => reader.close() };
}
