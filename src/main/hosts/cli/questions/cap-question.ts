import type { EventOf } from '@shared/events/events.ts';
import { raisedSteps, suggestedRaiseUsd } from '@shared/money/limit-raise.ts';
import type { CapDecision } from '../../../money/budget.ts';
import { describeReachedCap } from '../../text/cap-text.ts';
import { openUserPrompter, type Keyboard } from './ask-user.ts';
import type { CommandContext } from '../../text/command-context.ts';

/** The suggested answer that raises the limit. */
export function raiseText(event: EventOf<'cap-reached'>): string {
  return `raise ${suggestedRaiseUsd(event).toFixed(2)}`;
}

/** Parses a typed answer: `local`, `raise 0.5`; nothing, `stop` or `no` stops. Null: none of them. */
export function parseCapAnswer(text: string): CapDecision | null {
  const [word = '', amount = ''] = text.trim().toLowerCase().split(/\s+/u);
  if (word === 'l' || word === 'local') return { answer: 'local' };
  if (['', 's', 'stop', 'n', 'no'].includes(word)) return { answer: 'stop' };
  if (word !== 'r' && word !== 'raise') return null;
  const usd = Number(amount.replace(/^\$/u, ''));
  return amount !== '' && Number.isFinite(usd) && usd > 0 ? { answer: 'raise', usd } : null;
}

/** Asks the user at the terminal. Null: the work is being stopped, so nothing was answered. */
export async function askCap(
  event: EventOf<'cap-reached'>,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
  keyboard?: Keyboard,
): Promise<CapDecision | null> {
  const { terminal } = context;
  const asker = openUserPrompter(context, keyboard);
  try {
    terminal.err(`${terminal.colors.yellow('Spending limit:')} ${describeReachedCap(event)}.\n`);
    const raise = event.worstUsd === null ? '' : `, "${raiseText(event)}" for about ${raisedSteps} more steps`;
    if (event.here === null) terminal.err('No local model can continue.\n');
    const local = event.here === null ? '' : '"local" to continue locally';
    const choices = [`${local}${local === '' ? raise.slice(2) : raise}`, 'Enter to stop'].filter((one) => one !== '');
    for (;;) {
      const answer = parseCapAnswer(await asker.ask(`${choices.join(', or ')}: `));
      if (answer !== null) return answer;
      terminal.err(
        `That is no answer here. Type ${event.here === null ? '' : 'local, '}raise with an amount in dollars, such as raise 0.50, or stop.\n`,
      );
    }
  } catch {
    // The end of the input means stop.
    return context.signal.aborted ? null : { answer: 'stop' };
  } finally {
    asker.close();
  }
}
