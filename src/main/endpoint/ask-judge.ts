import type { EndpointPush } from '@shared/contract/endpoint-contract.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { FenceAnswer, SessionFences } from '../safety/session-fences.ts';
import type { AskJudge } from '../sessions/comparisons/judge-runs.ts';
import { answerClient } from './answer-client.ts';
import type { AskAgainOptions } from './ask-again.ts';
import type { KnownClient } from './client-keys.ts';

/** Costs of the judge are listed under this name. No program can have it: it has no key. */
const client: KnownClient = {
  name: 'judge of comparisons',
  sha256: sha256Of('judge of comparisons'),
  mayLeave: true,
  createdAt: 0,
  lastUsedAt: null,
  logId: null,
};

/**
 * Asks a model to judge answers of sessions, by the same door as every call: with the spending limits, and with the
 * fences of today of each of these sessions.
 */
export function createAskJudge(options: AskAgainOptions): AskJudge['once'] {
  return async ({ model, sessionIds, system, text, schema, maxUsd }, signal) => {
    const info = await options.models.info(model, signal);
    if (info === null) return { ok: false, why: `The model "${model}" was not found.`, costUsd: 0 };
    const fences = leavesMachine(info) ? await fencesOfAll(options, sessionIds, signal) : options.fences;
    const log = await options.logs.of(client);
    const canHold = info.capabilities.grammar || info.capabilities.schema === true;
    const call = {
      model,
      messages: [textMessage('system', system), textMessage('user', text)],
      tools: [],
      toolChoice: 'none' as const,
      schema: canHold ? { ...schema } : null,
      stop: [],
      temperature: 0,
      topP: null,
      seed: 1,
      maxOutputTokens: 1_000,
      effort: null,
    };
    const pushes: EndpointPush[] = [];
    const push = (one: EndpointPush): void => void pushes.push(one);
    const limit = maxUsd === null ? {} : { maxUsd };
    await answerClient({ ...options, fences }, { client, log, call, push, signal, ...limit });
    const last = pushes.at(-1);
    if (last?.type === 'failed') return { ok: false, why: last.message, costUsd: last.costUsd ?? 0 };
    if (last?.type !== 'ended') return { ok: false, why: 'no answer came', costUsd: 0 };
    const said = pushes.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
    return { ok: true, text: said, costUsd: last.costUsd };
  };
}

/** What one of the sessions keeps here stays here. */
async function fencesOfAll(
  options: AskAgainOptions,
  sessionIds: readonly string[],
  signal: AbortSignal,
): Promise<SessionFences> {
  const all: SessionFences[] = [];
  for (const id of sessionIds) all.push(await options.fencesOf(await options.store.view(id), signal));
  return {
    hidden: options.fences.hidden,
    check: async (call, stop) => {
      let answer: FenceAnswer = { type: 'free' };
      for (const { check } of all) {
        const request = answer.type === 'fenced' ? answer.request : call.request;
        const next = await check({ ...call, request }, stop);
        if (next.type === 'fenced' && next.outcome !== 'redacted') return next;
        if (next.type === 'fenced') answer = next;
      }
      return answer;
    },
  };
}
