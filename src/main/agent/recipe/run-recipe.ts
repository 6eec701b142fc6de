import { hasLaterOrder } from '@shared/text/task-kind.ts';
import type { ErrorCode, Failure } from '@shared/errors.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import { createRecipeWorld } from './recipe-world.ts';
import type {
  Answer,
  EarlierAttempt,
  CallAnswer,
  CallRequest,
  Question,
  Recipe,
  RecipeContext,
  RecipeOutcome,
  RecipeSubject,
} from '../../recipes/define.ts';
import { cutsOf, partsOf, roomForAttached } from '../prompt/attached-parts.ts';
import { askByRole } from '../step/ask-by-role.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import { buildRequest, isSmall, promptShape } from '../prompt/build-prompt.ts';
import { isAdded } from '../prompt/tool-descriptions.ts';
import { parseCalls } from '../calls/parse-calls.ts';
import type { Tool } from '../../tools/define.ts';
import { failureOf, isProviderFailure } from '../step/call-failure.ts';
import { runStep } from '../step/run-step.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { isStillChosen, takeChoice } from '../turn/take-choice.ts';
import { isCancelled } from '../turn/turn-log.ts';
import type { StepError, Turn } from '../turn/turn.ts';
import type { TurnBaseline } from '../turn/turn-baseline.ts';

/** A recipe on its stage, and why it was chosen. */
export interface ChosenRecipe {
  readonly recipe: Recipe;
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly reason: string;
  readonly before: EarlierAttempt | null;
}

export interface RecipeRun {
  readonly outcome: RecipeOutcome;
  /** The limit of the turn that a question reached; it ends the turn, whatever the recipe returned. Null: none. */
  readonly stop: LimitStop | null;
  /** Why the model could not be reached, if its provider failed: no other question would have been answered either. */
  readonly failure: Failure | null;
  /** What the person chose meanwhile: anything, or another model in place of its own, so that it stopped. Null: nothing. */
  readonly chosen: 'beside' | 'instead' | null;
}

/** What its questions met that ends more than the question itself. */
interface Met {
  stop: LimitStop | null;
  failure: Failure | null;
  chosen: RecipeRun['chosen'];
  /** Answers given at temperature 0, by question. */
  readonly answers: Map<string, { readonly answer: Answer; times: number }>;
}

/**
 * The strategy in which a program leads and the model only answers. A recipe that throws gives up; it never ends the
 * turn. Throws `cancelled`, and errors that make it impossible to continue (a full disk, a lost sandbox).
 */
export async function runRecipe(
  turn: Turn,
  chosen: ChosenRecipe,
  subject: RecipeSubject & { readonly turnFacts: TurnFacts },
): Promise<RecipeRun> {
  const { recipe } = chosen;
  const met: Met = { stop: null, failure: null, chosen: null, answers: new Map() };
  if (turn.prompt.conversation.instructions() !== '' && isLeftOut(recipe, chosen.model.info)) {
    const text = `${chosen.model.info.label} gets no project instructions while it fixes tests: a small model fixes less with them.`;
    await turn.log.append({ type: 'notice-added', level: 'info', code: 'instructions-left-out', text });
  }
  const context = createContext(turn, chosen, subject, met);
  const outcome = await recipe.run(context).catch(async (error: unknown): Promise<RecipeOutcome> => {
    if (isCancelled(error) || turn.signal.aborted || isFatal(error)) throw error;
    const text = `The recipe ${recipe.id} failed: ${messageOf(error)}`;
    await turn.log.append({ type: 'notice-added', level: 'warning', code: 'recipe-failed', text });
    return { type: 'gave-up', reason: text, facts: '' };
  });
  if (outcome.type === 'gave-up' && met.chosen !== 'instead') {
    // The reason is for the user and repeats the facts, which are for the next stage.
    const text = outcome.facts === '' ? outcome.reason : outcome.facts;
    await tellFacts(turn, recipe, text);
  }
  return { outcome, stop: met.stop, failure: met.failure, chosen: met.chosen };
}

/** Logs what a recipe found out, for the stage that continues its task. */
export async function tellFacts({ log }: Pick<Turn, 'log'>, recipe: Recipe, text: string): Promise<void> {
  await log.append({ type: 'recipe-progressed', recipe: recipe.id, phase: 'gave-up', text, data: null });
}

const fatal: readonly ErrorCode[] = ['disk-full', 'log-damaged', 'sandbox-lost'];

function isFatal(error: unknown): boolean {
  return error instanceof AppError && fatal.includes(error.code);
}

/** What recipes know of a turn, before and after one is chosen. */
export function subjectOf(turn: Turn, work: TurnBaseline): RecipeSubject {
  return {
    task: turn.task,
    mode: modeOf(turn),
    facts: work.found.facts,
    check: work.check,
    checkPasses: work.before?.unrelated === true ? null : (work.before?.passed ?? null),
    canExecute: work.canExecute,
    earlier: turn.prompt.conversation.exchanges(),
  };
}

/** A text that names no work may still be meant as work; then only the chosen mode says so. */
function modeOf({ given, options, task }: Turn): RecipeSubject['mode'] {
  if (options.mode === 'plan') return 'plan';
  if (given.mode === 'ask' || given.mode === 'chat') return 'ask';
  const isOrder = given.mode === 'work' && hasLaterOrder(task);
  return options.mode === 'work' || isOrder ? 'work' : null;
}

function createContext(
  turn: Turn,
  chosen: ChosenRecipe,
  subject: RecipeSubject & { readonly turnFacts: TurnFacts },
  met: Met,
): RecipeContext {
  const { task, mode, facts, check, checkPasses, canExecute, earlier } = subject;
  return {
    task,
    mode,
    facts,
    check,
    checkPasses,
    canExecute,
    earlier,
    before: chosen.before,
    model: {
      info: chosen.model.info,
      ask: (question) => askOnce(turn, chosen, question, met),
      call: (request) => call(turn, chosen, request, met),
      // Tools that the user added have no effect on these prompts, because they say nothing about a model.
      loop: loopPrompts(turn.dependencies.tools.builtIn.filter((tool) => !isAdded(tool))),
      countTokens: async (text) => turn.prompt.tokens.count(text),
    },
    signal: turn.signal,
    settings: turn.dependencies.config.recipe,
    world: createRecipeWorld(turn, subject.turnFacts),
    progress: async (phase, text, data) => {
      await turn.log.append({ type: 'recipe-progressed', recipe: chosen.recipe.id, phase, text, data: data ?? null });
    },
    budget: {
      stepsLeft: () => turn.limits.stepsLeft(),
      tokensLeft: () => turn.limits.tokensLeft(),
      millisecondsLeft: () => turn.limits.millisecondsLeft(turn.log.lastAt()),
    },
  };
}

function loopPrompts(tools: readonly Tool[]): RecipeContext['model']['loop'] {
  const shapeOf = (model: ModelInfo): PromptShape => promptShape(model, tools, { mode: 'work', canExecute: true });
  return {
    request: (model, entries) =>
      buildRequest(shapeOf(model), entries, model, { seed: 1, temperature: 0, cacheKey: '' }),
    callsIn: (model, parts) => {
      const shape = shapeOf(model);
      return parseCalls(parts, shape.style, shape.tools).calls;
    },
    opening: (model) => {
      const { system, specs } = shapeOf(model);
      return system + JSON.stringify(specs);
    },
    isSmall,
  };
}

/** Stops a recipe that asks the same question endlessly. */
const mostTimes = 3;

/** A question repeated at temperature 0 has the same answer, so it is answered from memory. */
async function askOnce(turn: Turn, chosen: ChosenRecipe, question: Question, met: Met): Promise<Answer> {
  const { purpose, system, user, prefill, output, stop, temperature, seed, maxOutputTokens } = question;
  if (temperature > 0) return ask(turn, chosen, question, met);
  const key = JSON.stringify([purpose, system, user, prefill, output, stop, seed, maxOutputTokens]);
  const known = met.answers.get(key);
  if (known !== undefined && known.times < mostTimes) {
    known.times += 1;
    return known.answer;
  }
  const answer = await ask(turn, chosen, question, met);
  if (answer.ok) met.answers.set(key, { answer, times: 0 });
  return answer;
}

async function ask(
  turn: Turn,
  { recipe, stage, model, reason }: ChosenRecipe,
  question: Question,
  met: Met,
): Promise<Answer> {
  if (await isOvertaken(turn, model, met)) return { ok: false, message: overtaken, fatal: true };
  const reply = await askByRole(turn, {
    purpose: question.purpose,
    own: { stage, model },
    request: (one) => requestFor(turn, one, withInstructions(turn, one, question, recipe), recipe),
    reason: { code: 'cascade', text: `${question.label}: ${reason}` },
    carriesConversation: question.carriesConversation ?? false,
    cut: cutIn(turn, model, question),
  });
  switch (reply.type) {
    case 'answered': {
      const text = textOf(reply);
      return {
        ok: true,
        text: afterPrefill(question.prefill ?? '', text),
        complete: reply.complete,
      };
    }
    case 'stopped':
      met.stop ??= reply.stop;
      return { ok: false, message: reply.stop.text, fatal: true };
    case 'failed': {
      noteFailure(met, reply.error, model);
      const isOfPrompt = reply.error.code === 'context-full' || reply.error.code === 'bad-request';
      return { ok: false, message: reply.error.message, fatal: !isOfPrompt };
    }
    default:
      return reply satisfies never;
  }
}

const overtaken = 'You chose another model in the middle of the task.';

/** A question is a safe point of a recipe: nothing that it tries has reached the workspace. */
async function isOvertaken(turn: Turn, { info }: ResolvedModel, met: Met): Promise<boolean> {
  const choice = turn.dependencies.inbox.choice();
  if (choice !== null && (await takeChoice(turn, choice)))
    met.chosen = isStillChosen(turn, info) ? 'beside' : 'instead';
  return met.chosen === 'instead';
}

/** The attached texts in a question of which only the beginning is sent. */
function cutIn(turn: Turn, { info }: ResolvedModel, { user }: Question): ReturnType<typeof cutsOf> {
  const { attached } = turn.given;
  const room = roomForAttached(info);
  const isThere = partsOf(attached, room).map((part) => part.type === 'text' && user.includes(part.text));
  const there = new Set(
    attached.flatMap(({ attachment }, at) => (isThere[at] === true ? [attachment.blob.sha256] : [])),
  );
  return cutsOf(attached, room).filter(({ sha256 }) => there.has(sha256));
}

/** A model's first token may start with a space, which does not belong after an opening bracket. */
function afterPrefill(prefill: string, text: string): string {
  return prefill + (prefill.endsWith('(') ? text.replace(/^ +/u, '') : text);
}

async function call(turn: Turn, chosen: ChosenRecipe, request: CallRequest, met: Met): Promise<CallAnswer> {
  const { stage, model, recipe, reason } = chosen;
  if (await isOvertaken(turn, model, met)) return { ok: false, message: overtaken };
  const { system = '', user = '', messages, tools, output = { type: 'text' }, stop = [] } = request;
  const prefill = model.info.capabilities.prefill ? (request.prefill ?? null) : null;
  const { purpose, temperature, maxOutputTokens } = request;
  const rest = { prefill: request.prefill ?? null, topP: 1, seed: 1 };
  const question: Question = { ...rest, purpose, label: '', system, user, output, stop, temperature, maxOutputTokens };
  const asked = requestFor(turn, model, question, recipe);
  const reply = await runStep(turn, {
    purpose,
    stage,
    model,
    reason: { code: 'cascade', text: `${request.label}: ${reason}` },
    request: {
      ...asked,
      messages: messages ?? asked.messages,
      tools: tools ?? [],
      ...(request.drafts === undefined ? {} : { drafts: request.drafts }),
    },
  });
  if (reply.type === 'stopped') met.stop ??= reply.stop;
  if (reply.type === 'failed') noteFailure(met, reply.error, model);
  if (reply.type !== 'answered')
    return { ok: false, message: reply.type === 'stopped' ? reply.stop.text : reply.error.message };
  const { parts, repeated, measured } = reply;
  const text = textOf({ parts });
  return { ok: true, parts, text: (prefill ?? '') + text, hasRepeated: repeated, measured };
}

function noteFailure(met: Met, error: StepError, { info }: ResolvedModel): void {
  const failure = failureOf(error, info);
  if (isProviderFailure(failure)) met.failure ??= failure;
}

/** Put into the system text, before what differs from question to question, so that the prompt cache holds them. */
function withInstructions(turn: Turn, { info }: ResolvedModel, question: Question, recipe: Recipe): Question {
  const text = turn.prompt.conversation.instructions();
  if (text === '' || isLeftOut(recipe, info)) return question;
  const rule = 'Keep to them in what you write. Answer only what is asked.';
  return { ...question, system: `${question.system}\n\n${text}\n\n${rule}` };
}

function isLeftOut({ instructions }: Recipe, info: ModelInfo): boolean {
  return instructions === 'large-models' && isSmall(info);
}

/** Adds the text that the user set for every prompt of this model. */
function withOwnText(system: string, { info }: ResolvedModel): string {
  const own = info.driving?.systemText;
  return own === undefined ? system : `${system}\n\n${own}`;
}

function requestFor(turn: Turn, model: ResolvedModel, question: Question, recipe: Recipe): ModelRequest {
  return {
    model: model.info.name,
    messages: [textMessage('system', withOwnText(question.system, model)), textMessage('user', question.user)],
    tools: [],
    output: question.output,
    prefill: model.info.capabilities.prefill ? question.prefill : null,
    stop: question.stop,
    temperature: question.temperature,
    topP: question.topP,
    seed: question.seed,
    maxOutputTokens: question.maxOutputTokens,
    cacheKey: `${turn.dependencies.journal.sessionId}:${recipe.id}`,
    ...(model.info.effort === undefined ? {} : { effort: model.info.effort }),
  };
}
