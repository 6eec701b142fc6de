import { askStronger } from './ask-stronger.ts';
import { digestOf } from './digest.ts';
import { lookAtChanges } from './look-at-changes.ts';
import type { LoopSeats } from './loop-seats.ts';
import { promptTexts } from './prompt-texts.ts';

const MAX_ADVICE_TOKENS = 500;

/**
 * Asks the model in the cloud what to do next, on a digest instead of the whole talk: that costs a few cents where a
 * take-over reads everything. What it says is put into the talk; where it could not be asked, the log says so.
 */
export async function askAdvice(seats: LoopSeats): Promise<void> {
  const { turn, all } = seats;
  const seat = all.find(({ stage }) => stage.where === 'cloud');
  if (seat === undefined) return;
  const look = turn.options.gate === true ? await lookAtChanges(turn) : null;
  const said = await askStronger(seats, seat, {
    purpose: 'advise',
    reason: { code: 'advice', text: 'The local model makes no progress, so a stronger one gives advice.' },
    system: promptTexts.advise,
    digest: digestOf(turn, look),
    maxTokens: MAX_ADVICE_TOKENS,
  });
  if (said.type === 'said') {
    const text = `Advice of a stronger model that has seen what you did:\n${said.text}`;
    await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice', text });
    return;
  }
  const text = `No advice was available: ${said.why}`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice-failed', text });
}
