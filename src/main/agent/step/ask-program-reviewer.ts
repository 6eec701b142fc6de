import type { ModelReview } from '@shared/events/approval-events.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { createTokenEstimate } from '../prompt/token-estimate.ts';
import { resolveModel } from '../turn/agent-dependencies.ts';
import { createLimits } from '../turn/turn-limits.ts';
import { isCancelled } from '../turn/turn-log.ts';
import type { Turn } from '../turn/turn.ts';
import { askCloudModel } from './ask-cloud-model.ts';

/** Kept small, because the user waits for the question. */
const most = { ms: 60_000, tokens: 400, characters: 2_000 } as const;

/**
 * Lets a model review a program before the user is asked about it, by the same way as every model call. Null: no
 * reviewing model is chosen. If the model may not be asked, fails or takes too long, the review says so and nothing
 * else waits for it. Throws `cancelled`.
 */
export async function askProgramReviewer(turn: Turn, text: string): Promise<ModelReview | null> {
  const { dependencies, found, options, signal } = turn;
  const reviewer = found.facts?.reviewer;
  if (reviewer === undefined) return null;
  const label = reviewer.info?.label ?? reviewer.model;
  const unsaid = (why: string): ModelReview => ({ label, text: null, why, costUsd: null });
  const model = resolveModel(dependencies, reviewer.info);
  if (model === null) return unsaid('It is not there.');
  const { where, id } = model.info;
  if (where === 'cloud' && options.policy === 'local') return unsaid('This message stays on this machine.');
  const wait = childAbort(signal, { ms: most.ms });
  const tooLong = `It gave no answer within ${most.ms / 1000} s.`;
  // Separate limits and estimate, because a replay does not see what is used here.
  const asking: Turn = {
    ...turn,
    signal: wait.signal,
    abort: wait.abort,
    limits: createLimits({ maxSteps: 1, maxMinutes: 60, maxTokens: turn.limits.tokensLeft(), maxUsd: null }),
    prompt: { ...turn.prompt, tokens: createTokenEstimate() },
  };
  try {
    const reply = await askCloudModel(
      asking,
      { stage: { strategy: 'recipe', model: id, where }, model },
      {
        purpose: 'review',
        reason: { code: 'review', text: 'The rules found something in a program whose calls leave the sandbox.' },
        system: promptTexts.reviewProgram,
        handoff: text,
        maxTokens: most.tokens,
      },
    );
    turn.log.check();
    if (wait.signal.aborted) return unsaid(tooLong);
    if (reply.type === 'unsaid') return unsaid(reply.why);
    const step = dependencies.journal.state().steps.find(({ callId }) => callId === reply.callId);
    return { label, text: shortenText(reply.text, most.characters), costUsd: step?.end?.costUsd ?? null };
  } catch (error) {
    if (!isCancelled(error) || signal.aborted) throw error;
    return unsaid(tooLong);
  } finally {
    wait.release();
  }
}
