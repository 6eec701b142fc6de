import { AppError } from '@shared/errors.ts';
import { openUserPrompter, type Keyboard } from './ask-user.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';

/** Anything but a plain yes is a no. Throws `cancelled` at Ctrl-C. */
export async function confirm(
  question: string,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard?: Keyboard,
): Promise<boolean> {
  const asker = openUserPrompter(context, keyboard);
  try {
    const said = await asker.ask(`${context.terminal.colors.yellow(question)} [y/N] `);
    return /^(?:y|yes)$/iu.test(said.trim());
  } catch {
    if (context.signal.aborted) throw new AppError('cancelled', 'Stopped at the question.');
    // The end of the input is a no.
    return false;
  } finally {
    asker.close();
  }
}

/**
 * The same for questions that need an answer. Rejects if nobody can answer, because a pipe may stay open forever. The
 * error says what needs the approval, and how to give it without a question.
 */
export async function confirmAtTerminal(
  question: string,
  context: CommandContext,
  { what, without }: { readonly what: string; readonly without: string },
): Promise<boolean> {
  if (!context.terminal.isInteractive)
    throw usageError(`${what} needs your approval, and nobody can answer here.`, without);
  return confirm(question, context);
}
