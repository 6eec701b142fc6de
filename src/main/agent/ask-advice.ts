import { textMessage } from '@shared/messages.ts';
import { digestOf } from './digest.ts';
import type { LoopSeats } from './loop-seats.ts';
import { promptTexts } from './prompt-texts.ts';
import { runStep } from './run-step.ts';

const MAX_ADVICE_TOKENS = 500;

/**
 * Asks the model in the cloud what to do next, on a digest instead of the whole talk: that costs a few cents where a
 * take-over reads everything. What it says is put into the talk; where it could not be asked, the log says so.
 */
export async function askAdvice(seats: LoopSeats): Promise<void> {
  const { turn, all } = seats;
  const seat = all.find(({ rung }) => rung.where === 'cloud');
  if (seat === undefined) return;
  const { info } = seat.model;
  const reply = await runStep(turn, {
    purpose: 'advise',
    rung: seat.rung,
    model: seat.model,
    reason: { code: 'advice', text: 'The local model does not get on; a stronger one looks at a digest.' },
    request: {
      model: info.name,
      messages: [textMessage('system', promptTexts.advise), textMessage('user', digestOf(turn))],
      tools: [],
      output: { type: 'text' },
      prefill: null,
      stop: [],
      temperature: 0,
      topP: 0.95,
      seed: turn.options.seed,
      maxOutputTokens: Math.min(MAX_ADVICE_TOKENS, Math.floor(info.contextTokens / 4)),
      cacheKey: `${turn.services.journal.sessionId}:advice`,
      ...(info.effort === undefined ? {} : { effort: info.effort }),
    },
  });
  const said =
    reply.type === 'answered'
      ? reply.parts
          .map((part) => (part.type === 'text' ? part.text : ''))
          .join('')
          .trim()
      : '';
  if (said !== '') {
    const text = `Advice of a stronger model that has seen what you did:\n${said}`;
    await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice', text });
    return;
  }
  const why =
    reply.type === 'stopped' ? reply.stop.text : reply.type === 'failed' ? reply.error.message : 'It said nothing.';
  const text = `No advice could be had: ${why}`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice-failed', text });
}
