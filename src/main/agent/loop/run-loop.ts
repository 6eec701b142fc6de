import type { Failure } from '@shared/errors.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Cascade } from '../../routing/cascade/cascade.ts';
import { goesOnHere, stopCause } from '../../routing/cascade/cascade.ts';
import type { Trouble } from '../../routing/define.ts';
import { cutsOf } from '../prompt/attached-parts.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import { buildRequest, chatShape, isSmall, promptShape } from '../prompt/build-prompt.ts';
import type { RoomSubject } from '../prompt/compact-conversation.ts';
import { askByRole } from '../step/ask-by-role.ts';
import { largestParts } from '../prompt/fit-answers.ts';
import { promptBytes } from '../prompt/token-estimate.ts';
import { learnWindow } from './learn-window.ts';
import { makeRoom } from '../prompt/compact-conversation.ts';
import { asksPerson } from './asks-person.ts';
import { answerFromResult } from './answer-from-result.ts';
import { deliverMessages } from '../turn/deliver-messages.ts';
import { failureOf } from '../step/call-failure.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { LoopCandidate, LoopCandidates } from './loop-candidates.ts';
import { chooseLoopCandidate, passedOr, warmLocalPrompt } from './loop-candidates.ts';
import { toolsOfTurn } from './plan-notes.ts';
import { runStep, type StepReply } from '../step/run-step.ts';
import { runTools } from './run-tools.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import type { StepError, Turn } from '../turn/turn.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { askCloudModel } from '../step/ask-cloud-model.ts';
import { handoffSummary } from '../prompt/handoff-summary.ts';
import { readChangesOverview } from '../gate/changes-overview.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';

const MAX_ADVICE_TOKENS = 500;
/** Long greedy answers of small models tend to repeat themselves. */
const CHAT_TEMPERATURE = 0.3;

export type LoopOutcome =
  /** The model says that it is done, with `task_complete` or with an answer without a call. */
  | { readonly type: 'complete'; readonly text: string; readonly said: 'call' | 'text' }
  /** The model asks the person something, or cannot go on without them. Nothing else starts in its place. */
  | { readonly type: 'waiting'; readonly text: string }
  /** A part of an answer came, and it is kept. `failure`: why the rest is missing. */
  | { readonly type: 'incomplete'; readonly text: string; readonly failure: Failure }
  /** This stage makes no progress. The next one may try. */
  | {
      readonly type: 'gave-up';
      readonly reason: TurnEndReason;
      readonly cause: Trouble['cause'];
      readonly text: string;
      readonly failure: Failure | null;
    }
  /** A limit of the turn was reached. */
  | { readonly type: 'stopped'; readonly stop: LimitStop };

type GaveUp = Extract<LoopOutcome, { readonly type: 'gave-up' }>;

export interface LoopMode {
  readonly plan: boolean;
  readonly canExecute: boolean;
  /** The task is a question, so an answer in words may be all that is wanted. */
  readonly isQuestion: boolean;
  /** There are no tools: every answer in words is the final answer. */
  readonly isChat: boolean;
  readonly reason: string;
  /** The connected tool that is called first; null: none. */
  readonly wanted: string | null;
  readonly cascade: Cascade;
}

/** A running loop. It can continue after an objection, and remembers which model drives it. */
export interface Loop {
  readonly turn: Turn;
  readonly candidates: LoopCandidates;
  readonly mode: LoopMode;
  /** The number of answers in a row that could not be used. */
  unusableAnswers: number;
  /** The tool of the next call; null: the model chooses. */
  wanted: string | null;
  /** The user asked for a summary of the conversation, and it is not done yet. */
  isToCompact: boolean;
  /** The tokens of the longest request that was answered. */
  acceptedTokens: number;
  /** Why no other model continued where this one failed; null: one did, or there is none. */
  noEscalationReason: string | null;
}

/** A model that may drive the loop. The first one starts. */
export interface LoopStage {
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly canDrive: boolean;
}

export function createLoop(turn: Turn, stages: readonly [LoopStage, ...LoopStage[]], mode: LoopMode): Loop {
  const tools = toolsOfTurn(turn);
  const asksPerson = turn.options.approve !== 'deny';
  const shapeOf = ({ info }: ResolvedModel): PromptShape =>
    mode.isChat ? chatShape(info, turn.found.facts?.draws === true) : promptShape(info, tools, { ...mode, asksPerson });
  const sit = (one: LoopStage): LoopCandidate => ({ ...one, shape: shapeOf(one.model) });
  const current = sit(stages[0]);
  const all = [current, ...stages.slice(1).map(sit)];
  const purpose = mode.plan ? 'plan' : 'act';
  const isToCompact = turn.options.compact === true;
  const candidates: LoopCandidates = {
    shapeOf,
    turn,
    all,
    purpose,
    cascade: mode.cascade,
    current,
    pending: null,
    shut: null,
    taint: [],
    passed: null,
  };
  return {
    turn,
    mode,
    unusableAnswers: 0,
    wanted: mode.wanted,
    isToCompact,
    acceptedTokens: 0,
    noEscalationReason: null,
    candidates,
  };
}

/**
 * Answers in a row without a runnable call before the stage gives up. After the first, the model is asked again with a
 * changed prompt.
 */
const MAX_WASTED = 3;

/**
 * The strategy in which the model chooses the tools. Throws `cancelled`. Call it again to continue after an objection.
 */
export async function runLoop(loop: Loop): Promise<LoopOutcome> {
  for (;;) {
    // A message that arrives during a chat gets a turn of its own, because it may ask for work.
    if (!loop.mode.isChat) await deliverMessages(loop.turn);
    const outcome = await oneStep(loop);
    if (outcome === null) continue;
    loop.noEscalationReason = null;
    if (outcome.type === 'gave-up' && (await escalateToNext(loop, outcome))) continue;
    if (outcome.type === 'gave-up') return withReason(loop, outcome);
    if (outcome.type === 'stopped' && shutsCloud(loop, outcome.stop)) continue;
    return outcome;
  }
}

/** Lets another model continue after this one failed. False if none does. */
export async function escalateToNext(loop: Loop, { cause, text }: Pick<GaveUp, 'cause' | 'text'>): Promise<boolean> {
  const { candidates, turn } = loop;
  const before = candidates.current;
  if (candidates.all.length < 2) return false;
  const decision = await chooseLoopCandidate(candidates, { model: before.model.info.id, cause, text });
  if (decision.chosen === null && decision.isDegraded) turn.progress.isCloudUnasked = true;
  if (decision.chosen === null) loop.noEscalationReason = decision.text;
  if (candidates.current === before) return false;
  loop.unusableAnswers = 0;
  return true;
}

/** Adds to the failure why no other model could continue: a spending limit, a fence, a routing rule or the network. */
function withReason({ noEscalationReason }: Loop, outcome: GaveUp): GaveUp {
  const { text, failure } = outcome;
  if (noEscalationReason?.startsWith(`${text} `) !== true) return outcome;
  const said = failure?.message === text ? { ...failure, message: noEscalationReason } : failure;
  return { ...outcome, text: noEscalationReason, failure: said };
}

/** After a spending limit or a fence, the work may continue locally, and later decisions leave out the cloud. */
function shutsCloud({ candidates, turn }: Loop, stop: LimitStop): boolean {
  const cause = stopCause(stop);
  const here = candidates.all.find(({ stage, canDrive }) => stage.where === 'local' && canDrive);
  if (cause === null || !goesOnHere(stop, turn.options.atCap) || here === undefined || here === candidates.current)
    return false;
  candidates.shut = { code: cause === 'cap' ? 'budget' : 'fence', text: stop.text };
  candidates.pending = null;
  return true;
}

/** Null: the loop continues. */
async function oneStep(loop: Loop): Promise<LoopOutcome | null> {
  const { turn, mode, candidates } = loop;
  const before = candidates.current;
  const decision = await chooseLoopCandidate(candidates);
  if (decision.chosen === null)
    return { type: 'gave-up', reason: 'gave-up', cause: 'no-progress', text: decision.text, failure: null };
  if (candidates.current !== before) loop.unusableAnswers = 0;
  if (decision.wantsAdvice) {
    await askAdvice(candidates);
    // Decide again, with or without its advice in the conversation.
    return null;
  }
  const { stage, model, shape } = candidates.current;
  const subject: RoomSubject = {
    info: model.info,
    shape,
    request: () => requestFor(loop),
    ask: (question) => askByRole(turn, { ...question, own: { stage, model } }),
  };
  // A short conversation needs no summary; the task continues with it as it is.
  const wanted = loop.isToCompact ? await makeRoom(turn, subject, true) : null;
  loop.isToCompact = false;
  const request = wanted ?? (await makeRoom(turn, subject, false));
  if (request === null) return tooSmall(turn, model);
  const step = {
    purpose: candidates.purpose,
    stage,
    model,
    reason: { code: 'cascade', text: mode.reason },
    decision,
    cut: turn.conversation
      .entries()
      .flatMap((entry) => (entry.type === 'user' ? cutsOf(entry.attached ?? [], shape.roomForAttached) : [])),
  };
  warmLocalPrompt(candidates);
  candidates.passed = null;
  let reply = await runStep(turn, { ...step, request });
  let sent = request;
  for (let tries = 0; tries < MAX_SHORTER; tries += 1) {
    if (reply.type !== 'failed' || !isTooLong(loop, reply.error, sent)) break;
    const learned = await learnWindow(candidates, reply.error, tokensOf(turn, sent));
    const now = candidates.current;
    const fitted: RoomSubject = { ...subject, info: now.model.info, shape: now.shape };
    const smaller = await makeRoom(turn, fitted, learned === null);
    if (smaller === null && learned === 'guessed') break;
    if (smaller === null) return tooSmall(turn, now.model);
    sent = smaller;
    reply = await runStep(turn, { ...step, model: now.model, request: smaller });
  }
  if (reply.type === 'answered') loop.acceptedTokens = Math.max(loop.acceptedTokens, tokensOf(turn, sent));
  if (reply.type === 'stopped') return { type: 'stopped', stop: reply.stop };
  if (reply.type === 'failed' && reply.partial !== '' && mode.isChat)
    return halfAnswer(reply.partial, failureOf(reply.error, model.info));
  if (reply.type === 'failed') return failed(reply.error, model, reply.partial);
  loop.wanted = null;
  return act(loop, reply);
}

/** A prompt that is refused is made shorter at most so many times. */
const MAX_SHORTER = 4;

/**
 * Whether a request was refused because of its length. Whatever the words are, a bad request that is more than twice as
 * long as one that was answered counts, too.
 */
function isTooLong({ turn, acceptedTokens }: Loop, { code }: StepError, request: ModelRequest): boolean {
  if (code === 'context-full') return true;
  return code === 'bad-request' && acceptedTokens > 0 && tokensOf(turn, request) > 2 * acceptedTokens;
}

function tokensOf({ tokens }: Pick<Turn, 'tokens'>, request: ModelRequest): number {
  return tokens.countBytes(promptBytes(request));
}

function requestFor({ turn, candidates, unusableAnswers, wanted, mode: { isChat } }: Loop): ModelRequest {
  const { model, shape } = candidates.current;
  const isStuck = turn.limits.stuck(turn.progress.okWrites) !== null;
  const request = buildRequest(shape, turn.conversation.entries(), model.info, {
    seed: turn.options.seed,
    // After an answer that could not be used or led nowhere, the same greedy answer must not come again.
    temperature: isStuck ? 0.7 : unusableAnswers > 0 ? 0.4 : isChat ? CHAT_TEMPERATURE : 0,
    cacheKey: `${turn.dependencies.journal.sessionId}:loop`,
  });
  const first = request.tools.filter(({ name }) => name === wanted);
  return passedOr(candidates, first.length === 0 ? request : { ...request, tools: first });
}

type Answer = Extract<StepReply, { readonly type: 'answered' }>;

async function act(loop: Loop, answer: Answer): Promise<LoopOutcome | null> {
  const { turn } = loop;
  const { shape, model } = loop.candidates.current;
  const { callId, parts } = answer;
  if (loop.mode.isChat) return withoutCall(loop, textOf({ parts }).trim(), answer);
  const { style, tools } = shape;
  const outcome = await runTools(turn, { callId, parts, style, tools, contextTokens: model.info.contextTokens });
  switch (outcome.type) {
    case 'ran':
      loop.unusableAnswers = 0;
      return null;
    case 'complete': {
      const text = await answerFromResult(turn, loop.candidates.current, outcome.text, loop.mode.wanted);
      return { type: 'complete', text, said: 'call' };
    }
    case 'blocked':
      return blocked(model, outcome.text);
    case 'stopped':
      return stoppedBy(outcome.stop);
    case 'not-understood':
      return waste(loop, 'The calls of the model could not be understood.');
    case 'no-call':
      return withoutCall(loop, textOf({ parts }).trim(), answer);
    default:
      return outcome satisfies never;
  }
}

/**
 * The turn waits for the person, with the model's text as the question. Only where a small model gives up without
 * asking anything may a stronger one continue.
 */
function blocked({ info }: ResolvedModel, said: string): LoopOutcome {
  const text = said.trim() === '' ? 'The model cannot go on and did not say why.' : said.trim();
  if (!isSmall(info) || asksPerson(text)) return { type: 'waiting', text };
  return { type: 'gave-up', reason: 'waiting', cause: 'no-progress', text, failure: null };
}

/** Ends the turn if nobody can give the approval. Going in circles ends only the stage. */
function stoppedBy(stop: LimitStop): LoopOutcome {
  if (stop.reason === 'needs-approval') return { type: 'stopped', stop };
  return { type: 'gave-up', reason: stop.reason, cause: 'no-progress', text: stop.text, failure: null };
}

/** What came of an answer that broke off, and why the rest is missing. */
function halfAnswer(text: string, why: Failure): LoopOutcome {
  const hint = why.hint ?? 'What came until then is kept. Send "continue" for the rest.';
  const message = why.message.replace(/\.?$/u, '.');
  return { type: 'incomplete', text, failure: { ...why, message, hint } };
}

function lengthLimitOf({ cutByMoney }: Answer): Failure {
  if (cutByMoney === undefined)
    return { code: 'too-large', message: 'The answer reached the length limit of this model.' };
  const hint = 'What came until then is kept. Raise the limit, then send "continue" for the rest.';
  return { code: 'too-large', message: `The answer was cut off. ${cutByMoney}`, hint };
}

/** For the model: why its answer was cut. */
function cutReason({ cutByMoney }: Answer): string {
  return cutByMoney === undefined
    ? 'the length limit'
    : 'the spending limit, which leaves room for short answers only,';
}

async function withoutCall(loop: Loop, text: string, answer: Answer): Promise<LoopOutcome | null> {
  const { turn, mode } = loop;
  const { shape } = loop.candidates.current;
  if (answer.cutCall !== undefined && !mode.isChat) {
    const { tool, characters } = answer.cutCall;
    await noteForModel(
      turn,
      'call-cut',
      `Your call of ${tool} was cut off by ${cutReason(answer)} after ${characters} characters of its input, so it was not run and nothing was changed. Send it again with less: do the work in several smaller calls.`,
    );
    return waste(loop, `The calls of the model were cut off by the length limit (${tool}).`);
  }
  if (text === '' && !answer.complete && !answer.repeated) {
    await noteForModel(
      turn,
      'answer-cut',
      `Your answer was cut off by ${cutReason(answer)} before it had any text or call: only thoughts came. Think less, then call a tool.`,
    );
    return waste(loop, 'The model used up the length limit before it answered.');
  }
  if (text === '') {
    await noteForModel(
      turn,
      'empty-answer',
      'Your answer was empty. Call a tool, or task_complete when the task is done.',
    );
    return waste(loop, 'The model gave empty answers.');
  }
  if (answer.repeated) {
    await noteForModel(turn, 'no-call', 'Your answer repeated itself and was stopped. Answer again, in another way.');
    return waste(loop, 'The answers of the model repeated themselves without end.');
  }
  if (!answer.complete && mode.isChat) return halfAnswer(text, lengthLimitOf(answer));
  if (!answer.complete) {
    const why =
      answer.cutByMoney === undefined ? 'because it was too long' : `by ${cutReason(answer).replace(/,$/u, '')}`;
    await noteForModel(turn, 'no-call', `Your answer was cut off ${why}. Answer again, shorter.`);
    return waste(loop, 'The answers of the model were cut off by the length limit.');
  }
  const isAnswer =
    mode.plan || mode.isQuestion || shape.form === 'full' || turn.progress.okWrites > 0 || loop.unusableAnswers > 0;
  if (isQuestionTo(loop, text)) return { type: 'waiting', text };
  if (isAnswer) return { type: 'complete', text, said: 'text' };
  await noteForModel(
    turn,
    'no-call',
    'No tool was called. Call a tool to go on, or task_complete when the task is done.',
  );
  return waste(loop, 'The model called no tool.');
}

/** Words of a large model at the end of a task that asked for work, of which nothing is changed yet. */
function isQuestionTo({ turn, mode, candidates }: Loop, text: string): boolean {
  const mayAsk = !mode.isChat && !mode.plan && !mode.isQuestion && turn.progress.okWrites === 0;
  return mayAsk && !isSmall(candidates.current.model.info) && asksPerson(text);
}

function waste(loop: Loop, text: string): LoopOutcome | null {
  loop.unusableAnswers += 1;
  return loop.unusableAnswers < MAX_WASTED
    ? null
    : { type: 'gave-up', reason: 'gave-up', cause: 'format', text, failure: null };
}

async function noteForModel(turn: Turn, code: string, text: string): Promise<void> {
  await turn.log.append({ type: 'notice-added', level: 'info', code, text });
}

/** What came before the call broke off is kept: it stands in the log and in the end of the turn. */
function failed(error: StepError, { info }: ResolvedModel, partial: string): LoopOutcome {
  const said = failureOf(error, info);
  const kept = partial === '' ? '' : ` What the answer said until then is kept: ${shortenText(partial, 2_000)}`;
  const failure = { ...said, message: `${said.message}${kept}` };
  const reason = failure.code === 'missing-model' || failure.code === 'missing-key' ? 'missing' : 'error';
  return { type: 'gave-up', reason, cause: 'transport', text: failure.message, failure };
}

function tooSmall(turn: Turn, model: ResolvedModel): LoopOutcome {
  const said = `The task does not fit the context of ${model.info.label}, which holds ${model.info.contextTokens} tokens.`;
  const large = largestParts(turn);
  const more = `The largest parts: ${large.join(', ')}. Give the task in smaller pieces, or choose a model with a larger context.`;
  const message = large.length === 0 ? said : `${said} ${more}`;
  return { type: 'gave-up', reason: 'error', cause: 'window', text: message, failure: { code: 'too-large', message } };
}

/**
 * Asks the cloud model what to do next, with a handoff instead of the whole conversation: this costs a few cents, while
 * a takeover reads everything. The advice goes into the conversation. If the model could not be asked, the log says so.
 */
async function askAdvice(candidates: LoopCandidates): Promise<void> {
  const { turn, all } = candidates;
  const candidate = all.find(({ stage }) => stage.where === 'cloud');
  if (candidate === undefined) return;
  const look = await readChangesOverview(turn);
  const said = await askCloudModel(candidates, candidate, {
    purpose: 'advise',
    reason: { code: 'advice', text: 'The local model makes no progress, so a stronger one gives advice.' },
    system: promptTexts.advise,
    handoff: handoffSummary(turn, look),
    maxTokens: MAX_ADVICE_TOKENS,
  });
  if (said.type === 'said') {
    const text = `Advice of a stronger model that has seen what you did:\n${said.text}`;
    await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice', text });
    return;
  }
  const text = `No advice was available: ${said.why}`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice-failed', text });
}
