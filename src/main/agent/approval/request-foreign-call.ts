import type { ModelInfo } from '@shared/models/model-info.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Turn } from '../turn/turn.ts';
import { askApproval } from './request-approval.ts';

/** A call of a tool of others that wants to be made. */
export interface ForeignCall {
  readonly spec: ForeignToolSpec;
  readonly toolCallId: string;
  readonly input: unknown;
}

export type ForeignAnswer =
  /** `input`: what may be sent, without what a fence takes out of it. */
  | { readonly type: 'granted'; readonly input: unknown }
  | { readonly type: 'denied'; readonly text: string; readonly byNobody: boolean };

/**
 * Whether a call may reach the server of a tool: the fences first, for what may not leave is in no question, then the
 * person, who sees exactly what would be sent. Question and answer are in the log. What a server says of its own tool
 * changes nothing here. Throws `cancelled`.
 */
export async function askForeignCall(turn: Turn, call: ForeignCall): Promise<ForeignAnswer> {
  const { spec, toolCallId } = call;
  const fenced = await passFences(turn, call);
  if (fenced.type === 'denied') return fenced;
  const text = JSON.stringify(fenced.input, null, 2);
  const subject = `${spec.server}: ${spec.tool}`;
  const answer = await askApproval(turn, {
    kind: 'foreign-tool',
    subject,
    reason: spec.leaves ? 'What it gets leaves this machine.' : 'You said that its server keeps what it gets here.',
    toolCallId,
    shown: { sha256: sha256Of(JSON.stringify([spec, fenced.input])), text, diff: null },
  });
  if (answer === 'allow') return fenced;
  return { type: 'denied', text: `Not allowed: ${subject}`, byNobody: answer === 'nobody' };
}

/** A call is looked at as one to a cloud model that carries its arguments, written with the conversation in sight. */
async function passFences(turn: Turn, { spec, toolCallId, input }: ForeignCall): Promise<ForeignAnswer> {
  if (!spec.leaves) return { type: 'granted', input };
  const info = serverAsModel(spec);
  const request: ModelRequest = {
    model: info.name,
    messages: [{ role: 'assistant', parts: [{ type: 'tool-call', id: toolCallId, name: spec.tool, input }] }],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 1,
    cacheKey: '',
  };
  const answer = await turn.dependencies.fences.check(
    { info, purpose: 'act', scope: 'conversation', request },
    turn.signal,
  );
  turn.log.check();
  if (answer.type === 'free') return { type: 'granted', input };
  const { outcome, hits } = answer;
  const names = [...new Set(hits.map(({ path, rule }) => path ?? rule))].slice(0, 4).join(', ');
  await turn.log.append({
    type: 'call-fenced',
    step: turn.steps.last,
    purpose: 'act',
    model: info.id,
    outcome,
    hits: [...hits],
    text: `the arguments of ${seenWords(spec.tool)} (${seenWords(names)})`,
    manifest: null,
  });
  const denied = {
    type: 'denied',
    text: `Not sent to ${spec.server}: it would carry what is not to leave this machine (${names}).`,
    byNobody: false,
  } as const;
  if (outcome === 'refused') return denied;
  if (outcome === 'asked') {
    const reason = 'A fence says that you are asked before this leaves the machine.';
    const subject = `the arguments of ${spec.server}: ${spec.tool}`;
    const said = await askApproval(turn, { kind: 'fence', subject, reason, toolCallId });
    if (said !== 'allow') return { ...denied, byNobody: said === 'nobody' };
  }
  const [clean] = answer.request.messages.flatMap(({ parts }) => parts);
  return { type: 'granted', input: clean?.type === 'tool-call' ? clean.input : input };
}

/** To the fences it is a place away from this machine, whoever runs it. */
function serverAsModel({ server, tool }: ForeignToolSpec): ModelInfo {
  return {
    id: `tools/${server}`,
    provider: 'tools',
    name: tool,
    label: server,
    where: 'cloud',
    contextTokens: 0,
    parametersB: null,
    capabilities: { tools: false, grammar: false, prefill: false, infill: false, countTokens: false },
    price: null,
    strategies: [],
  };
}
