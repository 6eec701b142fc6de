import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProbeCard } from '@shared/models/probe-card.ts';
import { defineRecipe } from './define.ts';
import type { RecipeContext, RecipeOutcome } from './define.ts';
import { drivenBy, probeCalls } from './probe/probe-calls.ts';
import type { CallsResult } from './probe/probe-calls.ts';
import { probeDrafts } from './probe/probe-drafts.ts';
import { probeNeedle } from './probe/probe-needle.ts';
import { probeSpeeds } from './probe/probe-speeds.ts';
import { probeEdit, probeLoop, probeRecipe } from './probe/probe-tasks.ts';

/** The exact message that asks for a probe. Nothing else starts one. */
export const probeTask = 'Probe this model: its speed, its tool calls, its edits and the end of its window.';
/** The phase of the event that has the card as its data. */
export const cardPhase = 'card';

/** Reading a long prompt may take at most this long; more time is not worth the information. */
const longestPromptSeconds = 15;
const sampledTemperature = 0.3;

/**
 * Asks one model small questions whose answers a program can judge, and finds its best settings. It uses no files and
 * no commands. Like every recipe it calls the model through `runStep`, so each call is in the log.
 */
export default defineRecipe({
  id: 'probe',
  label: 'Find out how a model is best driven',
  fits: ({ task }) => (task === probeTask ? { score: 1, reason: 'The model is being benchmarked.' } : null),
  run: probe,
});

async function probe(context: RecipeContext): Promise<RecipeOutcome> {
  const { info: model } = context.model;
  await context.progress('speed', 'Measuring reading and writing speed.');
  const { speeds, tokensPerLine, backend } = await probeSpeeds(context);
  if (speeds.length === 0) {
    return { type: 'gave-up', reason: `${model.label} did not answer.`, facts: '' };
  }
  await context.progress('calls', 'Checking how it calls tools.');
  const calls = await probeCalls(context);
  await context.progress('edits', 'Checking how it writes edits.');
  const recipe = await probeRecipe(context);
  const edit = await probeEdit(context);
  const loop = calls.callStyle === null ? null : await probeLoop(context, drivenAs(model, calls, edit));
  await context.progress('window', 'Checking how well it recalls text from the start of a long context.');
  const prefill = speeds.at(-1)?.prefillPerSecond ?? null;
  const { needle, note } = await probeNeedle(context, { prefill, tokensPerLine });
  const drafts = await probeDrafts(context, speeds.at(-1)?.decodePerSecond ?? null);
  const notes = [note, drafts.note];
  const card: ProbeCard = {
    model: model.id,
    contextTokens: model.contextTokens,
    calls: calls.calls,
    callStyle: calls.callStyle,
    toolBudget: calls.toolBudget,
    edit,
    tasks: { recipe, loop },
    strategies: strategiesOf(context.model.loop.isSmall(model), { recipe, loop }),
    speeds,
    ...(backend === undefined ? {} : { backend }),
    needle,
    ...(drafts.drafts === undefined ? {} : { drafts: drafts.drafts }),
    promptForm: await promptFormOf(context, prefill),
    temperature: calls.hasRepeated ? sampledTemperature : 0,
    notes: notes.filter((one) => one !== null),
  };
  await context.progress(cardPhase, 'Benchmark finished.', card);
  return { type: 'answered', text: `${model.label} was benchmarked.` };
}

function drivenAs(model: ModelInfo, { callStyle, toolBudget }: CallsResult, edit: ProbeCard['edit']): ModelInfo {
  return drivenBy(model, {
    ...(edit === null ? {} : { edits: edit }),
    ...(callStyle === null ? {} : { calls: callStyle }),
    ...(toolBudget === null ? {} : { toolBudget }),
  });
}

/** A small model that can do both works better with recipes; a large one chooses tools well by itself. */
function strategiesOf(isSmall: boolean, { recipe, loop }: ProbeCard['tasks']): ProbeCard['strategies'] {
  const passed = [
    ...(recipe.passed > 0 ? (['recipe'] as const) : []),
    ...(loop?.passed === 1 ? (['loop'] as const) : []),
  ];
  return isSmall ? passed : [...passed].reverse();
}

/** The full form, unless the model is small or takes too long to read it. */
async function promptFormOf(context: RecipeContext, prefill: number | null): Promise<ProbeCard['promptForm']> {
  if (context.model.loop.isSmall(context.model.info)) return 'short';
  if (prefill === null) return 'full';
  const tokens = await context.model.countTokens(
    context.model.loop.opening(drivenBy(context.model.info, { promptForm: 'full' })),
  );
  return tokens / prefill > longestPromptSeconds ? 'short' : 'full';
}
