import type { ModelInfo } from '@shared/models/model-info.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { isSmallTalk } from '@shared/text/task-kind.ts';
import { namesCode } from '@shared/text/task-mode.ts';
import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { isFinder, searchTools } from '../../tools/connected/find-tools.ts';
import { toolsOfTurn } from '../loop/plan-notes.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { isSmall, textRequest } from '../prompt/build-prompt.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { firstSentence } from '../prompt/tool-descriptions.ts';
import { runStep } from '../step/run-step.ts';
import { resolveModel, type ResolvedModel } from './agent-dependencies.ts';
import type { TurnBaseline } from './turn-baseline.ts';
import type { Turn } from './turn.ts';

const mostShown = 5;
const longestTask = 1_500;
const longestDescription = 200;
/** In tokens. A name has up to 64 characters. */
const longestName = 64;
/** A question that says this is about the project that it is asked in. */
const ofUs = /\b(?:our|we|us)\b/iu;
/**
 * What a model that is asked sees of our own tools: without a place for files in the list it never says that none fits. One
 * name for each kind of request, since a small model seldom chooses a name that stands for many.
 */
const forFiles = [
  { name: 'edit_code', description: 'Changes, adds, repairs or renames code.' },
  { name: 'write_test', description: 'Writes tests or documentation of code.' },
  { name: 'read_code', description: 'Finds and explains code of the project.' },
  { name: 'run_command', description: 'Runs a command, a program or tests.' },
] as const;

/** The same for a talk, which looks at no files. */
const forWords = [
  { name: 'explain', description: 'Answers a question of general knowledge.' },
  { name: 'write_text', description: 'Writes a text, a story, a poem or a letter.' },
  { name: 'translate', description: 'Translates words.' },
  { name: 'calculate', description: 'Computes with numbers.' },
] as const;
/** The same where a project keeps documents at hand: the harness searches them. */
const ofKnowledge = [
  { name: 'search_documents', description: 'Answers from the documents that the user keeps at hand.' },
] as const;
/**
 * A talk has no files to confuse a tool with, and its words may be of any language, so all are shown up to here. The same
 * list in each message is read once: of the next message a model reads little more than its words.
 */
const mostWholeInTalk = 24;
/** Of more than that, those that fit. */
const mostShownInTalk = 8;
/** Of many, less is said of each. */
const shortDescription = 90;

/** Whether a model is asked which tool a request needs, instead of choosing among all of them in every step. */
export function isAskedFirst(info: ModelInfo): boolean {
  return isSmall(info) && info.capabilities.grammar;
}

/** A tool as the question shows it. */
interface ShownTool {
  readonly name: string;
  readonly description: string;
}

/**
 * The connected tool that does what the task asks for first; null: none, or the model chooses by itself. A small model that
 * may choose among all tools looks at files instead, and a program knows files alone. So it is asked for this one thing,
 * held to a choice, among the few whose words are those of the task. Throws `cancelled`.
 */
export async function wantedTool(turn: Turn, known: WantedFrom, first: ModelInfo | null): Promise<string | null> {
  const { task, options, given, dependencies } = turn;
  const isTalk = given.mode === 'chat';
  const isOfFiles = options.strategy === 'recipe' || options.check !== null;
  if (options.mode === 'plan' || (!isTalk && !known.canExecute) || isOfFiles || isSmallTalk(task)) return null;
  const model = resolveModel(dependencies, first);
  if (model === null || !isAskedFirst(model.info)) return null;
  const shown = isTalk ? await shownInTalk(turn, known) : await shownForWork(turn, known);
  if (shown.length === 0) return null;
  const others = isTalk
    ? [...forWords, ...(known.found.parts?.includes('documents') === true ? ofKnowledge : [])]
    : forFiles;
  const own = others.filter(({ name }) => shown.every((tool) => tool.name !== name));
  const named = await choose(turn, model, {
    request: choiceRequest(turn, [...shown, ...own], model.info.name),
    why: 'Connected tools are on: a small model is asked which of them the request needs.',
  });
  const tool = shown.find(({ name }) => name === named) ?? null;
  if (tool === null || !isTalk) return tool?.name ?? null;
  const said = await choose(turn, model, {
    request: checkRequest(turn, tool, model.info.name),
    why: 'A message with a word of a tool may be about something else, so a small model is asked once more.',
  });
  // A check that failed says nothing for the call.
  return said === null || said === noCall ? null : tool.name;
}

/** What the model chose; null: the question failed. */
async function choose(
  turn: Turn,
  model: ResolvedModel,
  { request, why }: { readonly request: ModelRequest; readonly why: string },
): Promise<string | null> {
  const reply = await runStep(turn, {
    purpose: 'choose',
    stage: { strategy: 'loop', model: model.info.id, where: model.info.where },
    model,
    reason: { code: 'cascade', text: why },
    request,
  });
  return reply.type === 'answered' ? textOf(reply).trim() : null;
}

type WantedFrom = Pick<TurnBaseline, 'found' | 'canExecute' | 'before'>;

async function shownForWork(
  { task, given, options: { tools: allowed } }: Turn,
  { found, before }: WantedFrom,
): Promise<readonly ShownTool[]> {
  const specs = (found.connected ?? []).filter(({ name }) => allowed === undefined || allowed.includes(name));
  const asksOfProject = given.isQuestion && ofUs.test(task);
  const isOfCode = namesCode(task) || asksOfProject || before?.passed === false;
  if (isOfCode && !namesServer(specs, task)) return [];
  return specs.length === 0 ? [] : (await searchTools(specs, task)).slice(0, mostShown);
}

/**
 * All tools of a talk. Of very many: those that it called so far, then those whose words are those of the request, then
 * others. They are shown in an order that no request changes.
 */
async function shownInTalk(turn: Turn, { found }: WantedFrom): Promise<readonly ShownTool[]> {
  const there = toolsOfTurn(turn).filter(
    (tool) => !isFinder(tool) && !['results', 'documents'].includes(tool.needs ?? '') && tool.isForStrong !== true,
  );
  if (there.length <= mostWholeInTalk) return there;
  const specs = (found.connected ?? []).filter((spec) => there.some(({ name }) => name === spec.name));
  const fitting = specs.length === 0 ? [] : await searchTools(specs, turn.task);
  const names = [...calledBefore(turn), ...fitting.map(({ name }) => name), ...there.map(({ name }) => name)];
  const offered = new Set(there.map(({ name }) => name));
  const first = new Set([...new Set(names)].filter((name) => offered.has(name)).slice(0, mostShownInTalk));
  return there.filter(({ name }) => first.has(name));
}

/** "Add the file to Drive" is about a file and is for the server all the same. */
function namesServer(specs: readonly ConnectedToolSpec[], task: string): boolean {
  const words = new Set(task.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  return specs.some(({ server }) => words.has(server.toLowerCase()));
}

/** The connected tools that this session called, the last one first. */
function calledBefore({ dependencies: { journal } }: Turn): readonly string[] {
  return [
    ...new Set(
      journal
        .state()
        .toolCalls.map(({ tool }) => tool)
        .reverse(),
    ),
  ];
}

/** "And in London?" says nothing by itself. Null if the last answer of a talk needed no tool. */
function askedBefore({ given, prompt: { conversation }, dependencies: { journal } }: Turn) {
  const { turns, toolCalls } = journal.state();
  const before = turns.at(-2)?.id;
  const called = toolCalls.findLast(({ turnId, callId }) => turnId === before && callId !== null);
  const last = conversation.exchanges().at(-1);
  if (given.mode !== 'chat' || before === undefined || called === undefined || last === undefined) return null;
  return { text: last.asked.slice(0, longestTask), tool: called.tool };
}

function beforeText(turn: Turn): string {
  const before = askedBefore(turn);
  return before === null ? '' : `Before, the user asked:\n${before.text}\n${before.tool} did that.\n\n`;
}

function lineOf({ name, description }: ShownTool, longest: number): string {
  return `${name}: ${firstSentence(description.slice(0, longest)).replaceAll(/\s+/gu, ' ')}`;
}

/**
 * A small model names the right tool far more often than it numbers it. The tools come first: they stay the same from
 * request to request, so their part of the prompt is computed once.
 */
function choiceRequest(turn: Turn, offered: readonly ShownTool[], model: string): ModelRequest {
  const asked = turn.task.slice(0, longestTask);
  const longest = offered.length > mostShownInTalk + forWords.length ? shortDescription : longestDescription;
  const list = offered.map((tool) => lineOf(tool, longest)).join('\n');
  const user = `Tools:\n${list}\n\n${beforeText(turn)}A user asks:\n${asked}\n\nWhich of these tools does that? Answer with its name.`;
  const system = turn.given.mode === 'chat' ? promptTexts.chooseInTalk : promptTexts.chooseTool;
  const text = { system, user, maxOutputTokens: longestName, use: 'choose-tool' };
  return { ...textRequest(turn, model, text), output: { type: 'choice', options: offered.map(({ name }) => name) } };
}

/** The answer of a model to which words do for the message. */
const noCall = 'words';

/**
 * Asks whether the message wants the chosen tool. The examples stand first and are the same for each tool, so they are
 * read once.
 */
function checkRequest(turn: Turn, tool: ShownTool, model: string): ModelRequest {
  // Without the server, whose name would repeat itself.
  const own = tool.name.split('__').slice(1).join('__') || tool.name;
  const before = askedBefore(turn);
  const user = [
    `Tool: ${lineOf({ ...tool, name: own }, longestDescription)}`,
    ...(before === null ? [] : [`Message before: ${before.text}`]),
    `Message: ${turn.task.slice(0, longestTask)}`,
    'Answer:',
  ].join('\n');
  const text = { system: promptTexts.checkInTalk, user, maxOutputTokens: longestName, use: 'check-tool' };
  return { ...textRequest(turn, model, text), output: { type: 'choice', options: [`call ${own}`, noCall] } };
}
