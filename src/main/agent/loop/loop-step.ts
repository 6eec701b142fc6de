import type { Failure } from '@shared/errors.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Decision, Trouble } from '../../routing/define.ts';
import { cutsOf } from '../prompt/attached-parts.ts';
import { buildRequest, isSmall } from '../prompt/build-prompt.ts';
import type { RoomSubject } from '../prompt/compact-conversation.ts';
import { askByRole } from '../step/ask-by-role.ts';
import { largestParts } from '../prompt/fit-answers.ts';
import { promptBytes } from '../prompt/token-estimate.ts';
import { learnWindow } from './learn-window.ts';
import { makeRoom } from '../prompt/compact-conversation.ts';
import { isAskedFirst } from '../turn/wanted-tool.ts';
import { answerFromResult } from './answer-from-result.ts';
import { askAdvice } from './ask-advice.ts';
import { asksForFact, asksInPlan, asksPerson } from './asks-person.ts';
import { deliverMessages } from '../turn/deliver-messages.ts';
import { driverOf, entriesFor, passedOr, warmLocalPrompt } from '../turn/decide-work.ts';
import { failureOf } from '../step/call-failure.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { Driver, TaskWork, Worker } from '../turn/task-work.ts';
import { runStep, type StepReply } from '../step/run-step.ts';
import { noteForModel } from './note-for-model.ts';
import { runTools } from './run-tools.ts';
import type { StepError, Turn } from '../turn/turn.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { moneyLeftUsd } from '../step/route-step.ts';

/** Long greedy answers of small models tend to repeat themselves. */
const CHAT_TEMPERATURE = 0.3;
/**
 * Answers in a row without a runnable call before the model gives up. After the first, it is asked again with a changed
 * prompt.
 */
const MAX_WASTED = 3;
/** A prompt that is refused is made shorter at most so many times. */
const MAX_SHORTER = 4;

export type LoopOutcome =
  /** The model says that it is done, with `task_complete` or with an answer without a call. */
  | { readonly type: 'complete'; readonly text: string }
  /** The model asks the person something, or cannot go on without them. Nothing else starts in its place. */
  | { readonly type: 'waiting'; readonly text: string }
  /** A part of an answer came, and it is kept. `failure`: why the rest is missing. */
  | { readonly type: 'incomplete'; readonly text: string; readonly failure: Failure }
  /** This model makes no progress. Another may try. */
  | {
      readonly type: 'gave-up';
      readonly reason: TurnEndReason;
      readonly cause: Trouble['cause'];
      readonly text: string;
      readonly failure: Failure | null;
    }
  /** A limit of the turn was reached. */
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/**
 * One step of the strategy in which the model chooses the tools: messages that arrived, one model call, and its tool
 * calls. Null: the loop goes on. Throws `cancelled`.
 */
export async function loopStep(work: TaskWork, worker: Worker, decision: Decision): Promise<LoopOutcome | null> {
  const { turn, loop, current } = work;
  const isChat = turn.given.mode === 'chat';
  if (decision.adviser !== null) {
    await askAdvice(work, decision.adviser, decision.code === 'plan' ? 'plan' : 'advice');
    // Decided again, with or without its words in the conversation.
    return null;
  }
  await tellOfMoney(work, worker);
  const driver = driverOf(work, worker);
  const { stage, model, shape } = driver;
  const subject: RoomSubject = {
    info: model.info,
    shape,
    request: () => requestFor(work, driver),
    ask: (question) => askByRole(turn, { ...question, own: { stage, model } }),
  };
  // A short conversation needs no summary; the task continues with it as it is.
  const wanted = loop.isToCompact ? await makeRoom(turn, subject, true) : null;
  loop.isToCompact = false;
  const request = wanted ?? (await makeRoom(turn, subject, false));
  if (request === null) return tooSmall(turn, model.info);
  const step = {
    purpose: turn.options.mode === 'plan' ? 'plan' : 'act',
    stage,
    model,
    reason: { code: 'cascade', text: current?.reason ?? '' },
    decision,
    cut: turn.prompt.conversation
      .entries()
      .flatMap((entry) => (entry.type === 'user' ? cutsOf(entry.attached ?? [], shape.roomForAttached) : [])),
  } as const;
  warmLocalPrompt(work, driver);
  work.door.passed = null;
  let now = driver;
  let reply = await runStep(turn, { ...step, request });
  let sent = request;
  for (let tries = 0; tries < MAX_SHORTER; tries += 1) {
    if (reply.type !== 'failed' || !isTooLong(work, reply.error, sent)) break;
    const learned = await learnWindow(work, now, { error: reply.error, promptTokens: tokensOf(turn, sent) });
    now = learned?.driver ?? now;
    const fitted: RoomSubject = { ...subject, info: now.model.info, shape: now.shape };
    const smaller = await makeRoom(turn, fitted, learned === null);
    if (smaller === null && learned?.by === 'guessed') break;
    if (smaller === null) return tooSmall(turn, now.model.info);
    sent = smaller;
    reply = await runStep(turn, { ...step, model: now.model, request: smaller });
  }
  if (reply.type === 'answered') loop.acceptedTokens = Math.max(loop.acceptedTokens, tokensOf(turn, sent));
  if (reply.type === 'stopped') return { type: 'stopped', stop: reply.stop };
  if (reply.type === 'failed' && reply.partial !== '' && isChat)
    return halfAnswer(reply.partial, failureOf(reply.error, model.info));
  if (reply.type === 'failed') return failed(reply.error, model.info, reply.partial);
  // In a talk the tool was there for this one call.
  if (isChat && loop.wanted !== null) loop.shapes.clear();
  loop.wanted = null;
  return act(work, now, reply);
}

/** Shows the model what arrived meanwhile. A message in a chat gets a turn of its own, because it may ask for work. */
export async function deliverToLoop({ turn }: TaskWork): Promise<void> {
  if (turn.given.mode !== 'chat') await deliverMessages(turn);
}

/**
 * Whether a request was refused because of its length. Whatever the words are, a bad request that is more than twice as
 * long as one that was answered counts, too.
 */
function isTooLong({ turn, loop: { acceptedTokens } }: TaskWork, { code }: StepError, request: ModelRequest): boolean {
  if (code === 'context-full') return true;
  return code === 'bad-request' && acceptedTokens > 0 && tokensOf(turn, request) > 2 * acceptedTokens;
}

function tokensOf({ prompt: { tokens } }: Pick<Turn, 'prompt'>, request: ModelRequest): number {
  return tokens.countBytes(promptBytes(request));
}

function requestFor(work: TaskWork, { model, shape }: Driver): ModelRequest {
  const { turn, loop } = work;
  const { unusableAnswers, wanted } = loop;
  const isStuck = turn.limits.stuck(turn.progress.okWrites) !== null;
  const isChat = turn.given.mode === 'chat';
  const request = buildRequest(shape, entriesFor(turn.prompt, shape, null), model.info, {
    seed: turn.options.seed,
    // After an answer that could not be used or led nowhere, the same greedy answer must not come again.
    temperature: isStuck ? 0.7 : unusableAnswers > 0 ? 0.4 : isChat ? CHAT_TEMPERATURE : 0,
    cacheKey: `${turn.dependencies.journal.sessionId}:loop`,
  });
  const first = request.tools.filter(({ name }) => name === wanted);
  return passedOr(work, first.length === 0 ? request : { ...request, tools: first });
}

type Answer = Extract<StepReply, { readonly type: 'answered' }>;

async function act(work: TaskWork, driver: Driver, answer: Answer): Promise<LoopOutcome | null> {
  const { turn } = work;
  const { shape, model } = driver;
  const { callId, parts } = answer;
  const text = textOf({ parts }).trim();
  const isChat = turn.given.mode === 'chat';
  if (isChat && shape.tools.length === 0) return withoutCall(work, driver, { text, answer });
  const { style, tools } = shape;
  const { limits } = turn.prompt.conversation.skills();
  const before = limits.length;
  const { contextTokens, capabilities } = model.info;
  const seesImages = capabilities.images === true;
  const outcome = await runTools(turn, { callId, parts, style, tools, contextTokens, seesImages });
  // A skill that was read since may leave fewer tools.
  if (limits.length !== before) work.loop.shapes.clear();
  switch (outcome.type) {
    case 'ran':
      work.loop.unusableAnswers = 0;
      work.loop.cutText = '';
      if (isChat && isAskedFirst(model.info)) return sayResult(work, driver);
      if (!answer.complete && !answer.repeated) await noteCutAfterCalls(turn, answer);
      return null;
    case 'complete': {
      const end = await answerFromResult(turn, driver, outcome.text, work.wanted);
      // A question beside the last call is not lost.
      if (!asksPerson(text) || end.includes(text)) return { type: 'complete', text: end };
      return { type: asksInWords(work, driver, text) ? 'waiting' : 'complete', text: `${end}\n\n${text}`.trim() };
    }
    case 'blocked':
      // What it wrote beside its question belongs to it.
      return blocked(
        model.info,
        text === '' || outcome.text.includes(text) ? outcome.text : `${text}\n\n${outcome.text}`,
      );
    case 'stopped':
      return stoppedBy(outcome.stop);
    case 'not-run':
      return waste(work, outcome.text);
    case 'no-call':
      return withoutCall(work, driver, { text, answer });
    default:
      return outcome satisfies never;
  }
}

/** A small model in a talk says what the tool that it called returned. Null: it said nothing, so it is asked on. */
async function sayResult({ turn, wanted }: TaskWork, driver: Driver): Promise<LoopOutcome | null> {
  const text = await answerFromResult(turn, driver, '', wanted);
  return text === '' ? null : { type: 'complete', text };
}

/**
 * The turn waits for the person, with the model's text as the question. Only where a small model gives up without
 * asking anything may a stronger one continue.
 */
function blocked(info: ModelInfo, said: string): LoopOutcome {
  const text = said.trim() === '' ? 'The model cannot go on and did not say why.' : said.trim();
  if (!isSmall(info) || asksPerson(text)) return { type: 'waiting', text };
  return { type: 'gave-up', reason: 'waiting', cause: 'no-progress', text, failure: null };
}

/** Ends the turn if nobody can give the approval. Going in circles ends only the stage. */
function stoppedBy(stop: LimitStop): LoopOutcome {
  if (stop.reason === 'needs-approval' || stop.reason === 'step-limit') return { type: 'stopped', stop };
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

/** Calls ran, and the model does not know that more of its answer is missing. */
async function noteCutAfterCalls(turn: Turn, answer: Answer): Promise<void> {
  const { cutCall } = answer;
  const lost = cutCall === undefined ? 'What would have come after them' : `A further call of ${cutCall.tool}`;
  const text = `Your answer was cut off by ${cutReason(answer)} after the calls above, which ran. ${lost} is lost: go on with it, in a shorter answer.`;
  await noteForModel(turn, cutCall === undefined ? 'answer-cut' : 'call-cut', text);
}

async function withoutCall(
  work: TaskWork,
  driver: Driver,
  { text, answer }: { readonly text: string; readonly answer: Answer },
): Promise<LoopOutcome | null> {
  const { turn } = work;
  const isChat = turn.given.mode === 'chat';
  if (answer.cutCall !== undefined && !isChat) {
    const { tool, characters } = answer.cutCall;
    await noteForModel(
      turn,
      'call-cut',
      `Your call of ${tool} was cut off by ${cutReason(answer)} after ${characters} characters of its input, so it was not run and nothing was changed. Send it again with less: do the work in several smaller calls.`,
    );
    return waste(work, `The calls of the model were cut off by the length limit (${tool}).`);
  }
  if (text === '' && !answer.complete && !answer.repeated) {
    await noteForModel(
      turn,
      'answer-cut',
      `Your answer was cut off by ${cutReason(answer)} before it had any text or call: only thoughts came. Think less, then call a tool.`,
    );
    return waste(work, 'The model used up the length limit before it answered.');
  }
  if (text === '') {
    await noteForModel(
      turn,
      'empty-answer',
      isChat
        ? 'Your answer was empty. Answer the message.'
        : 'Your answer was empty. Call a tool, or task_complete when the task is done.',
    );
    return waste(work, 'The model gave empty answers.');
  }
  if (answer.repeated) {
    await noteForModel(turn, 'no-call', 'Your answer repeated itself and was stopped. Answer again, in another way.');
    return waste(work, 'The answers of the model repeated themselves without end.');
  }
  if (!answer.complete && isChat) return halfAnswer(text, lengthLimitOf(answer));
  if (!answer.complete && driver.shape.form === 'full') {
    work.loop.cutText += textOf(answer);
    await noteForModel(
      turn,
      'answer-cut',
      `Your answer was cut off by ${cutReason(answer)}. What came is kept: go on exactly where it stopped.`,
    );
    return waste(work, 'The answers of the model were cut off by the length limit.');
  }
  if (!answer.complete) {
    const why =
      answer.cutByMoney === undefined ? 'because it was too long' : `by ${cutReason(answer).replace(/,$/u, '')}`;
    await noteForModel(turn, 'no-call', `Your answer was cut off ${why}. Answer again, shorter.`);
    return waste(work, 'The answers of the model were cut off by the length limit.');
  }
  if (asksInWords(work, driver, text)) return { type: 'waiting', text };
  if (mayEndInWords(work, driver)) {
    const whole = work.loop.cutText === '' ? text : `${work.loop.cutText}${textOf(answer)}`.trim();
    work.loop.cutText = '';
    return { type: 'complete', text: whole };
  }
  await noteForModel(
    turn,
    'no-call',
    'No tool was called. Call a tool to go on, or task_complete when the task is done.',
  );
  return waste(work, 'The model called no tool.');
}

/** A small model that was asked to work and only talks is told to call a tool first. */
function mayEndInWords({ turn, known, loop }: TaskWork, { shape }: Driver): boolean {
  const isTalk = turn.options.mode === 'plan' || known.isQuestion || turn.given.mode === 'chat';
  return isTalk || shape.form === 'full' || turn.progress.okWrites > 0 || loop.unusableAnswers > 0;
}

/**
 * Words of a large model that ask the person something, at the end of a task that asked for work. A plan may close with
 * "Shall I start?", which its button answers.
 */
function asksInWords({ turn, known }: TaskWork, { model }: Driver, text: string): boolean {
  const isPlan = turn.options.mode === 'plan';
  if (turn.given.mode === 'chat' || isSmall(model.info) || (known.isQuestion && !isPlan)) return false;
  if (isPlan) return asksInPlan(text);
  return turn.progress.okWrites === 0 ? asksPerson(text) : asksForFact(text);
}

function waste({ loop }: TaskWork, text: string): LoopOutcome | null {
  loop.unusableAnswers += 1;
  return loop.unusableAnswers < MAX_WASTED
    ? null
    : { type: 'gave-up', reason: 'gave-up', cause: 'format', text, failure: null };
}

/** A spending limit that leaves so few more steps is near. */
const nearSteps = 3;

/** Tells the model once that a spending limit is near, so that it can finish something in time. */
async function tellOfMoney({ turn, loop }: TaskWork, { stage }: Worker): Promise<void> {
  const { spentUsd, steps } = turn.steps.trajectory();
  const left = moneyLeftUsd(turn);
  if (loop.isToldOfMoney || stage.where === 'local' || left === null || steps === 0 || spentUsd === 0) return;
  const more = Math.floor((left * steps) / spentUsd);
  if (more >= nearSteps) return;
  loop.isToldOfMoney = true;
  const about = more === 0 ? 'less than one more step' : more === 1 ? 'about 1 more step' : `about ${more} more steps`;
  const text = `The spending limit leaves ${about}. Finish the most important part now, and say what is left to do.`;
  await noteForModel(turn, 'money-near', text);
}

/** What came before the call broke off is kept: it stands in the log and in the end of the turn. */
function failed(error: StepError, info: ModelInfo, partial: string): LoopOutcome {
  const said = failureOf(error, info);
  const kept = partial === '' ? '' : ` What the answer said until then is kept: ${shortenText(partial, 2_000)}`;
  const failure = { ...said, message: `${said.message}${kept}` };
  const reason = failure.code === 'missing-model' || failure.code === 'missing-key' ? 'missing' : 'error';
  return { type: 'gave-up', reason, cause: 'transport', text: failure.message, failure };
}

function tooSmall(turn: Turn, info: ModelInfo): LoopOutcome {
  const said = `The task does not fit the context of ${info.label}, which holds ${info.contextTokens} tokens.`;
  const large = largestParts(turn.prompt);
  const more = `The largest parts: ${large.join(', ')}. Give the task in smaller pieces, or choose a model with a larger context.`;
  const message = large.length === 0 ? said : `${said} ${more}`;
  return { type: 'gave-up', reason: 'error', cause: 'window', text: message, failure: { code: 'too-large', message } };
}
