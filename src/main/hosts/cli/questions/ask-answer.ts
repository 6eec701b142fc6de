import type { CommandContext } from '../../text/command-context.ts';
import type { Keyboard } from './ask-user.ts';
import { openUserPrompter } from './ask-user.ts';

/** The answer to the question that the agent has just asked. Null: there is none now, and the session keeps waiting. */
export async function askAnswer(
  context: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard?: Keyboard,
): Promise<string | null> {
  const asker = openUserPrompter(context, keyboard);
  try {
    const said = (await asker.ask('Your answer (Enter alone to answer later): ')).trim();
    return said === '' ? null : said;
  } catch {
    // The end of the input, or Ctrl-C: the question stays open.
    return null;
  } finally {
    asker.close();
  }
}

/** How to answer from another command. `flags`: those that hold for one message, as they are typed. */
export function howToAnswer(sessionId: string, flags: string): string {
  return `answer: dewpoint run --session ${sessionId}${flags} "YOUR ANSWER"`;
}
