import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { AppError } from '@shared/errors.ts';
import type { CommandContext } from '../../text/command-context.ts';

/**
 * Reads a secret without echo or, if nobody types, from stdin. `question`: must be safe for the terminal.
 * Throws `cancelled`.
 */
export async function readSecret({ terminal, signal }: CommandContext, question: string): Promise<string> {
  if (!terminal.isInteractive) return readAll(process.stdin);
  terminal.err(`${question} (not shown as you type): `);
  // The reader has no `output`, so it cannot show what is typed.
  const reader = createInterface({ input: process.stdin, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      reader.once('line', resolve);
      // Ctrl-C or Ctrl-D.
      reader.once('close', () => reject(new AppError('cancelled', 'Cancelled. Nothing was kept.')));
      reader.on('error', reject);
      signal.addEventListener('abort', () => reader.close(), { once: true });
    });
  } finally {
    reader.close();
    terminal.err('\n');
  }
}
