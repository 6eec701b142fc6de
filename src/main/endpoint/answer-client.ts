import type { CountedPrompt, EndpointCall, EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { checkCloudReach, reachOf } from '../agent/preparation/cloud-reach.ts';
import { emptyTurnFacts, type TurnFacts } from '../agent/preparation/turn-facts.ts';
import { createTokenEstimate, promptBytes } from '../agent/prompt/token-estimate.ts';
import { routeStep } from '../agent/step/route-step.ts';
import { runStep, type StepReply } from '../agent/step/run-step.ts';
import { withReasonOnly } from '../lib/net/send-reason.ts';
import type { AgentDependencies, SessionModels, SessionProject } from '../agent/turn/agent-dependencies.ts';
import type { StepRequest } from '../agent/turn/turn.ts';
import type { Budget } from '../money/budget.ts';
import type { LanguageModel, ModelRequest, Provider } from '../models/providers/define.ts';
import type { Decision, Denial, ModelOption } from '../routing/define.ts';
import type { RouteRecord } from '../routing/record/route-record.ts';
import { routingOf } from '../settings/profile-routing.ts';
import type { Routing } from '@shared/routing/routing.ts';
import type { SessionFences } from '../safety/session-fences.ts';
import type { KnownClient } from './client-keys.ts';
import type { ClientLog } from './client-logs.ts';
import { clientRequest, conversationOf, type ClientRequest } from './client-request.ts';
import { type ClientTurnOptions, createClientTurn } from './client-turn.ts';
import { orNoted } from '../lib/log.ts';

/** What the calls of clients need, the same as the steps of a turn. */
export interface AnswerOptions extends Pick<AgentDependencies, 'machine'>, Pick<SessionProject, 'routeRules'> {
  readonly models: Pick<SessionModels, 'info'> & {
    readonly provider: (providerId: string) => (LanguageModel & Pick<Provider, 'readTexts'>) | null;
  };
  readonly settings: () => Settings;
  readonly fences: SessionFences;
  readonly budget: (logId: string) => Budget;
  /** What this home has learned about its models. */
  readonly numbersFor: RouteRecord['numbersFor'];
}

export interface ClientCall {
  readonly client: KnownClient;
  readonly log: ClientLog;
  readonly call: EndpointCall;
  readonly push: (push: EndpointPush) => void;
  readonly signal: AbortSignal;
  /** The most that the call may cost, in US dollars. Absent: only the limits of the settings hold. */
  readonly maxUsd?: number;
  /** A request that is sent as it is, in place of one that is made of the call. */
  readonly request?: ModelRequest;
}

/** A model and the call in the form that it takes. */
interface AskedModel {
  readonly info: ModelInfo;
  readonly provider: LanguageModel;
  readonly asked: Extract<ClientRequest, { ok: true }>;
}

type Chosen = { readonly ok: true; readonly all: readonly AskedModel[]; readonly facts: TurnFacts } | Failed;
type Failed = { readonly ok: false; readonly failure: EndpointFailure };

const no = (code: EndpointFailure['code'], message: string): Failed => ({ ok: false, failure: { code, message } });

/** Answers one call. Its last push ends it. Throws `cancelled` on abort. */
export async function answerClient(options: AnswerOptions, given: ClientCall): Promise<void> {
  const chosen = await modelsFor(options, given);
  if (!chosen.ok) return given.push({ type: 'failed', ...chosen.failure });
  const { facts, all } = chosen;
  const turnOptions: ClientTurnOptions = {
    ...given,
    settings: options.settings(),
    facts,
    routing: await routingFor(options, all),
    fences: options.fences,
    budget: options.budget(given.log.journal.sessionId),
    machine: options.machine,
    conversation: conversationOf(given.call, given.client.sha256),
  };
  const [first] = all;
  if (first === undefined) return;
  if (all.length === 1) return told(given, first, await ask(turnOptions, first, null));
  return answerHybrid(given, turnOptions, [first, ...all.slice(1)]);
}

/** As in a session. A client names no project, so the whole home counts. A call that has no choice needs no record. */
async function routingFor({ settings, numbersFor }: AnswerOptions, all: readonly AskedModel[]): Promise<Routing> {
  const { routing } = settings();
  const usual = routingOf(routing.profile, routing.numbers);
  const models = all.map(({ info }) => info.id);
  const [first] = models;
  if (first === undefined || models.length === 1) return usual;
  return { ...usual, numbers: await numbersFor({ models, first, numbers: usual.numbers }, null) };
}

/** Routes the call. If a fence or a spending limit stops it on the way to the cloud, the local model answers. */
async function answerHybrid(
  given: ClientCall,
  turnOptions: ClientTurnOptions,
  all: readonly [AskedModel, ...AskedModel[]],
): Promise<void> {
  let shut: Denial | null = null;
  for (let round = 0; round < 2; round += 1) {
    const decision = decide(turnOptions, all, shut);
    const candidate = all.find(({ info }) => info.id === decision.chosen?.info.id);
    if (candidate === undefined) return given.push({ type: 'failed', code: 'failed', message: decision.text });
    const outcome = await ask(turnOptions, candidate, decision);
    const { reply } = outcome;
    const isShut = reply.type === 'stopped' && (reply.stop.reason === 'fenced' || reply.stop.reason === 'cap');
    if (round > 0 || !isShut || candidate.info.where === 'local') return told(given, candidate, outcome);
    shut = { code: reply.stop.reason === 'cap' ? 'budget' : 'fence', text: reply.stop.text };
  }
}

function decide(
  turnOptions: ClientTurnOptions,
  all: readonly [AskedModel, ...AskedModel[]],
  shut: Denial | null,
): Decision {
  const { turn } = createClientTurn({ ...turnOptions, log: { ...turnOptions.log, nextStep: () => 0 } }, all[0].info);
  const options = all.map(({ info, asked: { request } }): ModelOption => {
    const promptTokens = turn.prompt.tokens.countBytes(promptBytes(request));
    return { info, strategy: 'loop', promptTokens, maxOutputTokens: request.maxOutputTokens, canDrive: true };
  });
  return routeStep(turn, { purpose: 'act', options, shut });
}

interface Outcome {
  readonly reply: StepReply;
  readonly ended: ReturnType<ReturnType<typeof createClientTurn>['ended']>;
}

async function ask(
  turnOptions: ClientTurnOptions,
  { info, provider, asked }: AskedModel,
  decision: Decision | null,
): Promise<Outcome> {
  const { turn, ended } = createClientTurn(turnOptions, info);
  const step: StepRequest = {
    purpose: 'act',
    stage: { strategy: 'loop', model: info.id, where: info.where },
    model: { info, provider },
    request: asked.request,
    reason: { code: 'endpoint', text: 'A program asked for it through the endpoint.' },
    isOptional: true,
    isOnce: true,
    ...(decision === null ? {} : { decision }),
  };
  const { sessionId } = turn.dependencies.journal;
  const reply = await withReasonOnly({ sessionId, command: 'endpoint' }, () => runStep(turn, step));
  return { reply, ended: ended() };
}

/** Sends the client the result of a call. Its text was sent while it arrived. */
function told({ push, log, client, call }: ClientCall, candidate: AskedModel, { reply, ended }: Outcome): void {
  const { info, asked } = candidate;
  if (reply.type === 'stopped') return push({ type: 'failed', ...stopFailure(reply.stop) });
  if (reply.type === 'failed' || ended === null) {
    const { code = 'internal', message = 'It gave no answer.' } = reply.type === 'failed' ? reply.error : {};
    const retryAfterMs = ended?.error?.retryAfterMs;
    return push({
      type: 'failed',
      ...callFailure(code, message),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(ended === null ? {} : { costUsd: ended.costUsd }),
    });
  }
  log.noteAnswer(conversationOf(call, client.sha256), info.id, info.where);
  let calls = 0;
  for (const part of reply.parts) {
    if (part.type !== 'tool-call') continue;
    const { name, id, input } = part;
    if (name === asked.answerTool) push({ type: 'text', text: wordsOf(input) });
    else push({ type: 'call', id, name, input });
    if (name !== asked.answerTool) calls += 1;
  }
  const isAnswer = calls === 0 && ended.stopReason === 'tool-calls';
  const stopReason = isAnswer ? 'stop' : ended.stopReason;
  const { usage, costUsd, timings } = ended;
  const seconds = (timings.totalMs - timings.queuedMs) / 1000;
  push({ type: 'ended', model: info.id, stopReason, usage, costUsd, seconds });
}

function wordsOf(input: unknown): string {
  const text: unknown = Reflect.get(Object(input), 'text');
  return typeof text === 'string' ? text : JSON.stringify(input);
}

function stopFailure({ reason, text }: Extract<StepReply, { type: 'stopped' }>['stop']): EndpointFailure {
  if (reason === 'fenced') return { code: 'fenced', message: text };
  return { code: reason === 'cap' ? 'limit' : 'failed', message: text };
}

export function callFailure(code: string, message: string): EndpointFailure {
  switch (code) {
    case 'rate-limit':
      return { code: 'rate-limit', message };
    case 'context-full':
      return { code: 'too-long', message };
    case 'bad-request':
      return { code: 'bad-request', message };
    case 'missing-model':
      return { code: 'unknown-model', message };
    case 'overloaded':
    case 'network':
    case 'stalled':
    case 'engine-lost':
    case 'out-of-memory':
      return { code: 'unavailable', message };
    default:
      return { code: 'failed', message };
  }
}

/** Counts the prompt of a call that is not made. For `dewpoint/hybrid`, counts with the local model. */
export async function countForClient(
  options: AnswerOptions,
  given: Pick<ClientCall, 'client' | 'call' | 'signal'>,
): Promise<CountedPrompt> {
  const { client, call, signal } = given;
  const isHybrid = call.model === 'dewpoint/hybrid';
  if (isHybrid && !client.mayLeave) return notAllowed(client, call.model);
  const chosen = await namedModel(options, isHybrid ? { ...given, call: { ...call, model: 'dewpoint/local' } } : given);
  if (!chosen.ok) return chosen;
  const [first] = chosen.all;
  if (first === undefined) return unknownModel(call.model, call.model);
  const { request } = first.asked;
  // A count by a server elsewhere would send the text there, past the fences.
  const counted = leavesMachine(first.info)
    ? null
    : await first.provider.countTokens(request, signal).catch(orNoted('The tokens of a client were not counted', null));
  // The exact count is optional. Without it, the estimate is used, which is on the safe side.
  const tokens = counted ?? createTokenEstimate().countBytes(promptBytes(request));
  return { ok: true, tokens, isEstimate: counted === null };
}

async function namedModel(
  options: AnswerOptions,
  given: Pick<ClientCall, 'client' | 'call' | 'signal' | 'request'>,
): Promise<Chosen> {
  const { client, call, signal } = given;
  const { model } = call;
  const id = model === 'dewpoint/local' ? options.settings().local : model;
  const info = await options.models.info(id, signal);
  if (info === null) return unknownModel(model, id);
  if (info.use !== undefined)
    return no(
      'bad-request',
      `${info.label} cannot answer: it is for /v1/${info.use === 'vectors' ? 'embeddings' : 'rerank'}.`,
    );
  if (model === 'dewpoint/local' && info.where !== 'local') return no('unknown-model', `${id} is not a local model.`);
  if (leavesMachine(info) && !client.mayLeave) return notAllowed(client, model);
  return withRequests(options, given, [info], emptyTurnFacts);
}

/** The models that may answer: one, or for `dewpoint/hybrid` those of the order, else the local and the cloud one. */
async function modelsFor(options: AnswerOptions, given: ClientCall): Promise<Chosen> {
  const { client, call, signal, log } = given;
  const settings = options.settings();
  const { model } = call;
  if (model !== 'dewpoint/hybrid') return namedModel(options, given);
  if (!client.mayLeave) return notAllowed(client, model);
  const usual = settings.cloud === null ? [settings.local] : [settings.local, settings.cloud];
  const ids = [...new Set(settings.modelOrder ?? usual)];
  const found = await Promise.all(ids.map((id) => checkCloudReach(options, id, signal)));
  const infos = found.flatMap(({ info }) => (info === null ? [] : [info]));
  if (infos.length === 0) return unknownModel(model, ids.join(', '));
  const local = infos.find(({ where }) => where === 'local') ?? null;
  const cloud = infos.find(({ where }) => where === 'cloud') ?? null;
  const eased = local === null || cloud === null ? null : await options.machine.ease({ local, task: '' }, signal);
  const caps = await options.budget(log.journal.sessionId).left('', null);
  const facts: TurnFacts = {
    ...emptyTurnFacts,
    local,
    cloud,
    routes: copied(await options.routeRules()),
    caps: [...caps],
    ...(eased?.ease.act === 'cloud' ? { ease: eased.ease } : {}),
    reach: Object.fromEntries(found.flatMap((one) => Object.entries(reachOf(one)))),
  };
  return withRequests(options, { call, client }, infos, facts);
}

function copied({ rules, problems }: Awaited<ReturnType<AnswerOptions['routeRules']>>): TurnFacts['routes'] {
  return { rules: [...rules], problems: [...problems] };
}

/** Models that cannot be asked this are left out. */
function withRequests(
  { models }: AnswerOptions,
  { call, client, request }: Pick<ClientCall, 'call' | 'client' | 'request'>,
  infos: readonly ModelInfo[],
  facts: TurnFacts,
): Chosen {
  let why = '';
  const all = infos.flatMap((info): AskedModel[] => {
    const answers = models.provider(info.provider);
    const asked: ClientRequest =
      request === undefined
        ? clientRequest(call, info, client.sha256)
        : { ok: true, request: { ...request, model: info.name }, answerTool: null };
    if (answers !== null && asked.ok) return [{ info, provider: answers, asked }];
    why = asked.ok ? `${info.provider} is not set up.` : asked.message;
    return [];
  });
  return all.length === 0 ? no('bad-request', why) : { ok: true, all, facts };
}

function unknownModel(model: string, id: string): Failed {
  const which = model === id ? model : `${model} (${id})`;
  return no('unknown-model', `The model ${which} was not found. GET /v1/models lists those that are there.`);
}

function notAllowed({ name }: KnownClient, model: string): Failed {
  return no(
    'not-allowed',
    `The key of ${name} is for models on this machine only, and ${model} may leave it. Make another key: dewpoint serve keys add NAME --cloud`,
  );
}
