import type { ModelInfo } from '@shared/models/model-info.ts';
import { wordOfEffort } from '@shared/models/model-info.ts';
import type { TurnChoice, TurnOptions } from '../../settings/turn-options.ts';
import { withChoice } from '../../settings/turn-options.ts';
import { gatherModels, modelNotices, modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import type { FoundModels, TurnFacts } from '../preparation/turn-facts.ts';
import { foundModelsSchema, turnFactsSchema } from '../preparation/turn-facts.ts';
import { waysToWork } from '../../routing/ways-to-work.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { isPlainTalk } from '../preparation/read-knowledge.ts';
import { resolveModel } from './agent-dependencies.ts';
import { missingImages, missingModel, missingThinking } from './missing-parts.ts';
import { takeAction } from './take-action.ts';
import type { TaskWork } from './task-work.ts';
import type { Turn } from './turn.ts';

/**
 * Takes what the person chose anew while the turn runs. False: it cannot take effect, which the log says with the reason,
 * and the turn goes on as before. Called at each safe point: before a decision, and before each question of a recipe. The
 * models are looked up in an action, so that a replay takes the same choice at the same point.
 */
export async function takeChoice(turn: Turn, choice: TurnChoice): Promise<boolean> {
  const before = turn.found.facts;
  if (before === null) return false;
  const options = withChoice(turn.options, choice);
  const taken = await takeAction<FoundModels | null>(
    turn,
    {
      tool: 'take_choice',
      label: `take what was chosen: ${choiceInWords(choice)}`,
      input: choice,
      run: async () => ({ status: 'ok', output: '', data: await gatherModels({ ...turn, options }) }),
    },
    (data) => foundModelsSchema.nullable().parse(data),
  );
  const found = taken === null ? null : withModels(before, taken);
  const why = found === null ? 'The models could not be looked up.' : refusal(turn, options, found);
  if (found === null || why !== null) {
    const text = `What you chose does not take effect in this task: ${why ?? ''} The task goes on as before; the next message tries it again.`;
    await turn.log.append({ type: 'notice-added', level: 'warning', code: 'choice-refused', text });
    return false;
  }
  turn.options = options;
  turn.found.facts = found;
  for (const notice of modelNotices(options, found)) await turn.log.append({ type: 'notice-added', ...notice });
  return true;
}

/** Whether a model works on as it did, although something else was chosen: only its id and its settings count. */
export function isStillChosen({ options, found }: Pick<Turn, 'options' | 'found'>, model: ModelInfo): boolean {
  const settingsOf = ({ id, effort, driving }: ModelInfo): string => JSON.stringify([id, effort, driving]);
  const models = found.facts === null ? [] : modelsOfTurn(options, found.facts);
  return models.some((info) => settingsOf(info) === settingsOf(model));
}

/**
 * The person chose other models while the task runs: the ways to work follow from them, and whoever gave up in the loop
 * before may try again. A recipe does not follow the loop.
 */
export async function chooseAnew(work: TaskWork): Promise<void> {
  const { turn, fitting, wanted, current } = work;
  const { options, found, dependencies } = turn;
  const models = found.facts === null ? [] : modelsOfTurn(options, found.facts);
  const ways = waysToWork({
    strategy: options.strategy,
    policy: options.policy,
    models: models.filter((info) => resolveModel(dependencies, info) !== null),
    hasRecipe: fitting !== null && current?.strategy !== 'loop',
    isDirect: isPlainTalk(turn) || wanted !== null,
    isSmall,
  });
  const { shut } = work.door;
  if (shut !== null && ways.every(({ info }) => info.where === 'cloud')) {
    const text = `What you chose does not take effect in this task, which goes on here: ${shut.text}`;
    await turn.log.append({ type: 'notice-added', level: 'warning', code: 'choice-refused', text });
    return;
  }
  work.ways = ways;
  work.spent = work.spent.filter(({ strategy }) => strategy === 'recipe');
  work.trouble = null;
  work.door.passed = null;
  if (current !== null) work.current = { ...current, isLeft: true };
}

/** The spending limits stay as they were read first: what the turn has spent since is counted from there. */
function withModels(before: TurnFacts, taken: FoundModels): TurnFacts {
  const others = Object.entries(before).filter(([name]) => !(name in foundModelsSchema.shape));
  return turnFactsSchema.parse({ ...Object.fromEntries(others), ...taken, caps: before.caps ?? taken.caps });
}

/** Why the turn cannot go on with these options; null: it can. */
function refusal(turn: Turn, options: TurnOptions, found: TurnFacts): string | null {
  const { assistant } = options;
  if (assistant?.tools === 'off' && turn.given.mode !== 'ask' && turn.given.mode !== 'chat')
    return `The assistant "${assistant.name}" has no tools, so it can only answer.`;
  const models = modelsOfTurn(options, found).filter((info) => resolveModel(turn.dependencies, info) !== null);
  if (models.length === 0) return missingModel(options).text;
  const images = turn.given.hasImages ? missingImages(options, found) : null;
  return (images ?? missingThinking(options, found))?.text ?? null;
}

function choiceInWords({ policy, local, cloud, modelOrder, thinking, assistant }: TurnChoice): string {
  const named = { local: [local], cloud: [cloud], hybrid: [local, cloud] }[policy];
  const words = (modelOrder ?? named).filter((id) => id !== null);
  if (thinking !== undefined) words.push(`thinking: ${wordOfEffort(thinking)}`);
  if (assistant !== undefined) words.push(`assistant: ${assistant.name}`);
  return words.join(', ');
}
