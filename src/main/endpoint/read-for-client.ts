import type { EndpointTexts, TextsRead } from '@shared/contract/endpoint-contract.ts';
import { noUsage } from '@shared/money/token-cost.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { ReadTexts, TextsReply } from '../models/providers/define.ts';
import { checkOutgoing } from '../safety/fenced-text.ts';
import { callFailure, type AnswerOptions } from './answer-client.ts';
import type { KnownClient } from './client-keys.ts';
import type { ClientLog } from './client-logs.ts';

export interface TextsCall {
  readonly client: KnownClient;
  readonly log: ClientLog;
  readonly texts: EndpointTexts;
  readonly signal: AbortSignal;
}

const no = (code: 'unknown-model' | 'bad-request' | 'not-allowed', message: string): TextsRead => ({
  ok: false,
  failure: { code, message },
});

/** Vectors or scores of texts, by a local model made for it. The log has the call and its figures. */
export async function readForClient(options: AnswerOptions, given: TextsCall): Promise<TextsRead> {
  const { texts, client, signal } = given;
  const info = await options.models.info(texts.model, signal);
  const provider = info === null ? null : options.models.provider(info.provider);
  if (info === null || provider === null)
    return no('unknown-model', `The model ${texts.model} was not found. GET /v1/models lists those that are there.`);
  if (leavesMachine(info) && !client.mayLeave)
    return no('not-allowed', `The key of ${client.name} is for models on this machine only.`);
  const wanted = texts.query === null ? 'vectors' : 'scores';
  if (provider.readTexts === undefined || info.use !== wanted) return no('bad-request', otherUse(info, wanted));
  const kept = leavesMachine(info) ? await fencedTexts(options, info, given) : null;
  if (kept !== null) return { ok: false, failure: { code: 'fenced', message: kept } };
  const reply = await logged(given, info, provider.readTexts);
  if (!reply.ok) return { ok: false, failure: callFailure(reply.error.code, reply.error.message) };
  return { ok: true, model: info.id, rows: reply.rows, tokens: reply.tokens };
}

/** Why the texts may not go to a server elsewhere. Null: they may. Nothing is removed, since vectors are of whole texts. */
async function fencedTexts(
  { fences }: AnswerOptions,
  info: ModelInfo,
  { texts: { query, texts }, signal }: TextsCall,
): Promise<string | null> {
  const message = textMessage('user', [query ?? '', ...texts].join('\n'));
  const answer = await checkOutgoing(fences, { to: info, message }, signal);
  if (answer.type === 'free') return null;
  const [hit] = answer.hits;
  return `The texts were not sent to ${info.label}: they contain what must not leave this machine (${hit?.path ?? hit?.rule ?? 'fenced'}).`;
}

function otherUse({ label, use }: ModelInfo, wanted: 'vectors' | 'scores'): string {
  const is = { vectors: 'an embedding model', scores: 'a reranking model' } as const;
  const what = use === undefined ? 'a model that answers' : is[use];
  return `${label} is ${what}, and this needs ${is[wanted]}. \`dewpoint models suggest\` names one.`;
}

/** The texts are only kept if they leave this machine. */
async function logged({ log, texts, signal }: TextsCall, info: ModelInfo, read: ReadTexts): Promise<TextsReply> {
  const { journal } = log;
  const callId = journal.newId('call');
  const { model, query, texts: all } = texts;
  const bytes = Buffer.byteLength(JSON.stringify({ query, texts: all }));
  log.note(
    await journal.append({
      type: 'model-call-started',
      callId,
      step: log.nextStep(),
      purpose: 'embed',
      stage: { strategy: 'loop', model, where: info.where },
      provider: info.provider,
      model,
      request: { sha256: sha256Of(JSON.stringify({ query, texts: all })), bytes },
      promptTokens: null,
    }),
  );
  const reply = await read({ model: info.name, texts: all, query }, signal);
  const tokens = reply.ok ? reply.tokens : 0;
  log.note(
    await journal.append({
      type: 'model-call-ended',
      callId,
      parts: [],
      stopReason: reply.ok ? 'stop' : signal.aborted ? 'cancelled' : 'error',
      usage: { ...noUsage, freshInput: tokens },
      evaluatedTokens: tokens,
      timings: reply.timings,
      price: info.price,
      costUsd: 0,
      error: reply.ok || signal.aborted ? null : reply.error,
    }),
  );
  return reply;
}
