import type { FenceHit } from '@shared/safety/fences.ts';
import type { FenceAnswer } from '../../safety/session-fences.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { askApproval } from '../approval/request-approval.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { CallingTurn, StepRequest } from '../turn/turn.ts';

export type Passage =
  /** What may be sent: nothing else of the step may. */
  | { readonly type: 'passed'; readonly request: ModelRequest }
  /** `hits`: all that is fenced in it. `isFinal`: nobody can be asked about it, or somebody was and said no. */
  | {
      readonly type: 'stopped';
      readonly stop: LimitStop;
      readonly hits: readonly FenceHit[];
      readonly isFinal: boolean;
    };

type Fenced = Extract<FenceAnswer, { type: 'fenced' }>;

/** Requests that passed before their call was certain and were not sent yet, with the model that they passed for. */
const passedAhead = new WeakMap<ModelRequest, string>();

/**
 * The same before it is certain that the call is made, by who would rather ask somebody else. The request that it gives
 * back, unchanged and to the same model, is not looked at again: a call passes the fences once.
 */
export async function passFencesAhead(turn: CallingTurn, step: StepRequest): Promise<Passage> {
  const passage = await passFences(turn, step);
  if (passage.type === 'passed') passedAhead.set(passage.request, step.model.info.id);
  return passage;
}

/**
 * The fences at the door: before a call is counted, paid for or sent. What it found, and what the call carries or would
 * have carried, is in the log before anybody is asked. Throws `cancelled` when the turn is aborted meanwhile.
 */
export async function passFences(turn: CallingTurn, step: StepRequest): Promise<Passage> {
  const { request, purpose, stage, carriesConversation = stage.strategy === 'loop' } = step;
  const { info } = step.model;
  if (passedAhead.get(request) === info.id) {
    // Should the call be made again, it passes anew.
    passedAhead.delete(request);
    return { type: 'passed', request };
  }
  const scope = carriesConversation ? 'conversation' : 'turn';
  const answer = await turn.dependencies.fences.check({ info, purpose, scope, request }, turn.signal);
  turn.log.check();
  if (answer.type === 'free') return { type: 'passed', request };
  const { manifest } = answer;
  // A log says itself whether somebody was asked.
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
  const reason = 'A fence says that you are asked before this leaves the machine.';
  return (await askApproval(turn, { kind: 'fence', subject, reason, toolCallId: '' })) === 'allow';
}

/** Where a local model is there, it goes on. */
function stopped({ hits, outcome }: Fenced, label: string): Passage {
  const kept = hits.filter(({ verdict }) => verdict === 'local-only');
  const worst = outcome === 'refused' && kept.length > 0 ? kept : hits.filter(({ verdict }) => verdict === 'ask');
  const names = [
    ...new Set(worst.map(({ path, rule, how }) => `${how === 'content' ? '' : 'what was made from '}${path ?? rule}`)),
  ];
  const asks = kept.length > 0 ? 'is not to leave this machine' : 'leaves this machine only when you say so';
  const why = outcome === 'refused' ? asks : 'was not allowed to leave this machine';
  const text = `${listed(names)} ${why}, and the call to ${label} would have carried it. It was not made.`;
  const isFinal = outcome === 'asked' || kept.length > 0;
  return { type: 'stopped', stop: { reason: 'fenced', text, goesOnLocally: true }, hits, isFinal };
}

function listed(names: readonly string[]): string {
  const more = names.length > 4 ? ` and ${names.length - 4} more` : '';
  return names.slice(0, 4).join(', ') + more;
}
