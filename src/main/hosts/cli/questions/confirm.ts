import { openUserPrompter } from './ask-user.ts';
import type { CommandContext } from '../command-context.ts';

/** Anything but a plain yes is a no. */
export async function confirm(question: string, context: CommandContext): Promise<boolean> {
  const asker = openUserPrompter(context);
  try {
    const said = await asker.ask(`${context.terminal.colors.yellow(question)} [y/N] `);
    return /^(?:y|yes)$/iu.test(said.trim());
  } catch {
    // Ctrl-C at the question is a no.
    return false;
  } finally {
    asker.close();
  }
}
