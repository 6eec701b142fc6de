import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { AppError } from '@shared/errors.ts';
import type { CommandContext } from '../command-context.ts';

/**
 * A secret that is typed unseen, or read from stdin where nobody types. `question`: what it is, safe for the terminal.
 * Throws `cancelled`.
 */
export async function readSecret({ terminal, signal }: CommandContext, question: string): Promise<string> {
  if (!terminal.isInteractive) return readAll(process.stdin);
  terminal.err(`${question} (not shown as you type): `);
  // Echo goes through `output`; without one nothing of the secret appears.
  const reader = createInterface({ input: process.stdin, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      reader.once('line', resolve);
      // Ctrl-C and Ctrl-D.
      reader.once('close', () => reject(new AppError('cancelled', 'Cancelled. Nothing was kept.')));
      signal.addEventListener('abort', () => reader.close(), { once: true });
    });
  } finally {
    reader.close();
    terminal.err('\n');
  }
}
