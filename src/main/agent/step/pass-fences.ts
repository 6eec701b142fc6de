import type { FenceHit } from '@shared/safety/fences.ts';
import type { FenceAnswer } from '../../safety/session-fences.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { askApproval } from '../approval/request-approval.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { CallingTurn, StepRequest } from '../turn/turn.ts';

export type Passage =
  /** The request that may be sent instead of the step's own. */
  | { readonly type: 'passed'; readonly request: ModelRequest }
  /**
   * `hits`: every match of a rule. `isFinal`: asking cannot help, because a rule forbids the call or the user did not
   * allow it.
   */
  | {
      readonly type: 'stopped';
      readonly stop: LimitStop;
      readonly hits: readonly FenceHit[];
      readonly isFinal: boolean;
    };

type Fenced = Extract<FenceAnswer, { type: 'fenced' }>;

/** Requests that passed the fences ahead of their call, with the id of the model that they passed for. */
const passedAhead = new WeakMap<ModelRequest, string>();

/**
 * Like `passFences`, for a caller that would choose another model rather than be stopped. If the returned request goes
 * unchanged to the same model, `passFences` does not check it again.
 */
export async function passFencesAhead(turn: CallingTurn, step: StepRequest): Promise<Passage> {
  const passage = await passFences(turn, step);
  if (passage.type === 'passed') passedAhead.set(passage.request, step.model.info.id);
  return passage;
}

/**
 * Checks a call against the fences before it is counted, paid for or sent. The findings, and what the call carries or
 * would have carried, are in the log before the user is asked. Throws `cancelled` if the turn is aborted meanwhile.
 */
export async function passFences(turn: CallingTurn, step: StepRequest): Promise<Passage> {
  const { request, purpose, carriesConversation = true } = step;
  const { info } = step.model;
  if (passedAhead.get(request) === info.id) {
    // A repeated call is checked again.
    passedAhead.delete(request);
    return { type: 'passed', request };
  }
  const scope = carriesConversation ? 'conversation' : 'turn';
  const answer = await turn.dependencies.fences.check({ info, purpose, scope, request }, turn.signal);
  turn.log.check();
  if (answer.type === 'free') return { type: 'passed', request };
  const { manifest } = answer;
  // In a replay, the log says whether the user was asked.
  const isUnasked = step.isOptional === true && !turn.dependencies.effects.replaying;
  const outcome = answer.outcome === 'asked' && isUnasked ? 'refused' : answer.outcome;
  await turn.log.append({
    type: 'call-fenced',
    step: turn.steps.last + 1,
    purpose,
    model: info.id,
    outcome,
    hits: [...answer.hits],
    text: answer.text,
    manifest: manifest === null ? null : await turn.dependencies.journal.putText([JSON.stringify(manifest)]),
  });
  if (outcome === 'refused') return stopped({ ...answer, outcome }, info.label);
  if (outcome === 'redacted') return { type: 'passed', request: answer.request };
  return (await isAllowed(turn, answer.text))
    ? { type: 'passed', request: answer.request }
    : stopped(answer, info.label);
}

async function isAllowed(turn: CallingTurn, subject: string): Promise<boolean> {
  const reason = 'Your rules say that this leaves the machine only if you allow it.';
  return (await askApproval(turn, { kind: 'fence', subject, reason, toolCallId: '' })) === 'allow';
}

/** Stops the call; a local model may continue the work. */
function stopped({ hits, outcome }: Fenced, label: string): Passage {
  const kept = hits.filter(({ verdict }) => verdict === 'local-only');
  const worst = outcome === 'refused' && kept.length > 0 ? kept : hits.filter(({ verdict }) => verdict === 'ask');
  const names = [
    ...new Set(worst.map(({ path, rule, how }) => `${how === 'content' ? '' : 'what was made from '}${path ?? rule}`)),
  ];
  const asks = kept.length > 0 ? 'must not leave this machine' : 'leaves this machine only if you allow it';
  const why = outcome === 'refused' ? asks : 'was not allowed to leave this machine';
  const text = `${listed(names)} ${why}, so the call to ${label} was not made.`;
  const isFinal = outcome === 'asked' || kept.length > 0;
  return { type: 'stopped', stop: { reason: 'fenced', text, goesOnLocally: true }, hits, isFinal };
}

function listed(names: readonly string[]): string {
  const more = names.length > 4 ? ` and ${names.length - 4} more` : '';
  return names.slice(0, 4).join(', ') + more;
}
