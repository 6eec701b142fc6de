import { createInterface } from 'node:readline/promises';
import type { CommandContext } from './context.ts';

/** Anything but a plain yes is a no. */
export async function confirm(question: string, { terminal, signal }: CommandContext): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await reader.question(`${terminal.colors.yellow(question)} [y/N] `, { signal });
    return /^(?:y|yes)$/iu.test(said.trim());
  } catch {
    // Ctrl-C at the question is a no.
    return false;
  } finally {
    reader.close();
  }
}
