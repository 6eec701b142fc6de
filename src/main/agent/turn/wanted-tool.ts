import type { ModelInfo } from '@shared/models/model-info.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { isSmallTalk } from '@shared/text/task-kind.ts';
import { namesCode } from '@shared/text/task-mode.ts';
import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { searchTools } from '../../tools/connected/find-tools.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { isSmall, textRequest } from '../prompt/build-prompt.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { firstSentence } from '../prompt/tool-descriptions.ts';
import { runStep } from '../step/run-step.ts';
import { resolveModel } from './agent-dependencies.ts';
import type { TurnBaseline } from './turn-baseline.ts';
import type { Turn } from './turn.ts';

const mostShown = 5;
const longestTask = 1_500;
const longestDescription = 200;
/** A question that says this is about the project that it is asked in. */
const ofUs = /\b(?:our|we|us)\b/iu;
/** What a model that is asked sees of our own tools: without a place for files in the list it never says that none fits. */
const forFiles = [
  'edit_code: Changes, adds or fixes code, tests or files.',
  'read_code: Finds and explains code of the project.',
] as const;

/**
 * The connected tool that does what the task asks for first; null: none, or the model chooses by itself. A small model that
 * may choose among all tools looks at files instead, and a program knows files alone. So it is asked for this one thing,
 * held to a choice, among the few whose words are those of the task. Throws `cancelled`.
 */
export async function wantedTool(
  turn: Turn,
  { found, canExecute, before }: Pick<TurnBaseline, 'found' | 'canExecute' | 'before'>,
  first: ModelInfo | null,
): Promise<string | null> {
  const { task, options, given, dependencies } = turn;
  const isOfFiles = options.strategy === 'recipe' || options.check !== null;
  if (options.mode === 'plan' || !canExecute || given.mode === 'chat' || isOfFiles || isSmallTalk(task)) return null;
  const model = resolveModel(dependencies, first);
  if (model === null || !isSmall(model.info) || !model.info.capabilities.grammar) return null;
  const { tools: allowed } = options;
  const specs = (found.connected ?? []).filter(({ name }) => allowed === undefined || allowed.includes(name));
  const asksOfProject = given.isQuestion && ofUs.test(task);
  const isOfCode = namesCode(task) || asksOfProject || before?.passed === false;
  if (isOfCode && !namesServer(specs, task)) return null;
  const shown = specs.length === 0 ? [] : (await searchTools(specs, task)).slice(0, mostShown);
  if (shown.length === 0) return null;
  const reply = await runStep(turn, {
    purpose: 'choose',
    stage: { strategy: 'loop', model: model.info.id, where: model.info.where },
    model,
    reason: {
      code: 'cascade',
      text: 'Connected tools are on: a small model is asked which of them the request needs.',
    },
    request: choiceRequest(turn, shown, model.info.name),
  });
  if (reply.type !== 'answered') return null;
  return shown[Number(textOf(reply).trim()) - 1 - forFiles.length]?.name ?? null;
}

/** "Add the file to Drive" is about a file and is for the server all the same. */
function namesServer(specs: readonly ConnectedToolSpec[], task: string): boolean {
  const words = new Set(task.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  return specs.some(({ server }) => words.has(server.toLowerCase()));
}

function choiceRequest(turn: Turn, shown: readonly ConnectedToolSpec[], model: string): ModelRequest {
  const tools = shown.map(({ name, description }) => {
    const about = firstSentence(description.slice(0, longestDescription)).replaceAll(/\s+/gu, ' ');
    return `${name}: ${about}`;
  });
  const list = [...forFiles, ...tools].map((line, at) => `${at + 1}. ${line}`);
  const asked = turn.task.slice(0, longestTask);
  const user = `A user asks:\n${asked}\n\nWhich of these tools does that?\n${list.join('\n')}\n\nAnswer with its number.`;
  const text = { system: promptTexts.chooseTool, user, maxOutputTokens: 4, use: 'choose-tool' };
  return {
    ...textRequest(turn, model, text),
    output: { type: 'choice', options: list.map((_, at) => String(at + 1)) },
  };
}
