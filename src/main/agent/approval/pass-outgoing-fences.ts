import type { Message } from '@shared/models/model-messages.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { Receiver } from '../../safety/fenced-text.ts';
import { checkOutgoing } from '../../safety/fenced-text.ts';
import type { Turn } from '../turn/turn.ts';
import { askApproval } from './request-approval.ts';

/** Data that would leave this machine for a receiver that is not a model. */
export interface OutgoingCall {
  /** The receiver: an id for the log, the name of what is called, and a name for the user. */
  readonly to: Receiver;
  readonly toolCallId: string;
  readonly input: unknown;
  /** Nothing may be redacted: a call that would need it is not sent. */
  readonly isWhole?: true;
  /**
   * A call that would need redacted file content is not sent, because a short piece of it could remain beside other
   * words on a line. Matches of patterns and secrets are redacted completely.
   */
  readonly refusesFiles?: true;
}

export type FencesAnswer =
  /** `input`: what may be sent, after redaction. */
  | { readonly type: 'granted'; readonly input: unknown }
  | { readonly type: 'denied'; readonly text: string; readonly byNobody: boolean };

/**
 * Checks a call to a receiver other than a model against the fences, as if a cloud model got these arguments. Findings
 * are logged. Throws `cancelled`.
 */
export async function passOutgoingFences(
  turn: Pick<Turn, 'dependencies' | 'log' | 'signal' | 'steps' | 'options' | 'asking'>,
  { to, toolCallId, input, refusesFiles, ...given }: OutgoingCall,
): Promise<FencesAnswer> {
  const message: Message = {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: toolCallId, name: to.name, input }],
  };
  const answer = await checkOutgoing(turn.dependencies.fences, { to, message }, turn.signal);
  turn.log.check();
  if (answer.type === 'free') return { type: 'granted', input };
  const { hits } = answer;
  const isWhole = given.isWhole === true || (refusesFiles === true && hits.some(({ path }) => path !== null));
  const outcome = isWhole && answer.outcome === 'redacted' ? 'refused' : answer.outcome;
  const names = [...new Set(hits.map(({ path, rule }) => path ?? rule))].slice(0, 4).join(', ');
  await turn.log.append({
    type: 'call-fenced',
    step: turn.steps.last,
    purpose: 'act',
    model: to.id,
    outcome,
    hits: [...hits],
    text: `the arguments of ${seenWords(to.name)} (${seenWords(names)})`,
    manifest: null,
  });
  const denied = {
    type: 'denied',
    text: `Not sent to ${to.label}: it would carry what is not to leave this machine (${names}).`,
    byNobody: false,
  } as const;
  if (outcome === 'refused') return denied;
  if (outcome === 'asked') {
    const reason = 'Your rules say that this leaves the machine only if you allow it.';
    const subject = `the arguments of ${to.label}: ${to.name}`;
    const said = await askApproval(turn, { kind: 'fence', subject, reason, toolCallId });
    if (said !== 'allow') return { ...denied, byNobody: said === 'nobody' };
  }
  const [clean] = answer.request.messages.flatMap(({ parts }) => parts);
  const rest = clean?.type === 'tool-call' ? clean.input : input;
  // The user's yes does not allow a redaction where none may be made.
  return isWhole && rest !== input ? denied : { type: 'granted', input: rest };
}
