import { createInterface } from 'node:readline/promises';
import type { EventOf } from '@shared/events.ts';
import type { CommandContext } from './context.ts';
import { printable } from './terminal.ts';

/** Asks the person at the terminal; anything but a plain yes is a no. */
export async function askApproval(
  question: EventOf<'approval-requested'>,
  context: CommandContext,
): Promise<'allow' | 'deny'> {
  const { terminal } = context;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    terminal.err(
      `${terminal.colors.yellow('May the agent do this?')} ${question.kind}: ${printable(question.subject)}\n`,
    );
    const said = await reader.question('Allow? [y/N] ', { signal: context.signal });
    return /^(y|yes)$/iu.test(said.trim()) ? 'allow' : 'deny';
  } catch {
    // Ctrl-C at the question: no, and the turn is being cancelled.
    return 'deny';
  } finally {
    reader.close();
  }
}
