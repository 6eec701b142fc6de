import { textOf } from '@shared/models/model-messages.ts';
import type { Decision } from '../../routing/define.ts';
import type { ReadyModel } from '../turn/task-work.ts';
import type { Turn } from '../turn/turn.ts';
import { textRequest } from '../prompt/build-prompt.ts';
import { runStep } from './run-step.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** Includes the thinking of models that think first. */
const THINKING_TOKENS = 2_000;

export interface CloudQuestion {
  readonly purpose: Purpose;
  readonly reason: { readonly code: string; readonly text: string };
  readonly system: string;
  readonly handoff: string;
  readonly maxTokens: number;
  readonly decision?: Decision;
}

export type CloudAnswer =
  | { readonly type: 'said'; readonly text: string; readonly callId: string }
  /** `why`: a limit, a fence, a spending limit, or the model did not answer. */
  | { readonly type: 'unsaid'; readonly why: string };

/**
 * Asks a cloud model for a few words, with a handoff instead of the whole conversation. The answer is optional: where
 * the user would have to be asked, the call is not made. Throws `cancelled`.
 */
export async function askCloudModel(
  turn: Turn,
  { stage, model }: ReadyModel,
  asked: CloudQuestion,
): Promise<CloudAnswer> {
  const { info } = model;
  const thinks = info.capabilities.reasoning === true && info.effort !== 'none';
  const most = asked.maxTokens + (thinks ? THINKING_TOKENS : 0);
  const reply = await runStep(turn, {
    purpose: asked.purpose,
    stage,
    model,
    reason: asked.reason,
    isOptional: true,
    ...(asked.decision === undefined ? {} : { decision: asked.decision }),
    request: {
      ...textRequest(turn, info.name, {
        system: asked.system,
        user: asked.handoff,
        maxOutputTokens: Math.min(most, Math.floor(info.contextTokens / 4)),
        use: asked.purpose === 'advise' ? 'advice' : asked.purpose,
      }),
      ...(info.effort === undefined ? {} : { effort: info.effort }),
    },
  });
  switch (reply.type) {
    case 'answered': {
      const text = textOf(reply);
      return text.trim() === ''
        ? { type: 'unsaid', why: 'It said nothing.' }
        : { type: 'said', text: text.trim(), callId: reply.callId };
    }
    case 'stopped':
      return { type: 'unsaid', why: reply.stop.text };
    case 'failed':
      return { type: 'unsaid', why: reply.error.message };
    default:
      return reply satisfies never;
  }
}
