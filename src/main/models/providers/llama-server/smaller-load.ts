import { loadSizeInWords } from '../../memory/load-size.ts';
import type { LoadSize } from '../../memory/load-size.ts';
import type { LlamaServerSettings } from '@shared/settings/settings.ts';
import type { NoMemory } from '../../engine/llama-server/own-llama-server.ts';
import type { ServerProgram } from '../../engine/llama-server/server-program.ts';
import { stampOf } from '../../memory/gguf/gguf-header-reader.ts';
import { ranOutOfMemory } from '../../memory/load-steps.ts';
import type { LoadStep, LoadSteps } from '../../memory/load-steps.ts';
import { leastTokens } from '../../memory/memory-plan.ts';
import type { ServerLoadPlan, ServerLoadWish } from '../../memory/plan-server-load.ts';
import type { ModelFile } from '../../files/callable-files.ts';
import { providerFailure } from '../call/call-ended.ts';
import type { ProviderError } from '../define.ts';

interface SmallerLoadOptions {
  readonly id: string;
  readonly settings: Pick<LlamaServerSettings, 'contextTokens' | 'gpu'>;
  readonly dependencies: { readonly now: () => number; readonly loadSteps?: LoadSteps };
}

/** The key covers the model file, its adapter, the settings and the cards. */
async function keyOf(
  { id, settings }: SmallerLoadOptions,
  { path, adapter }: ModelFile,
  { cards }: ServerProgram,
): Promise<string> {
  const { contextTokens, gpu } = settings;
  const machine = cards.map(({ name, totalBytes }) => [name, totalBytes]);
  const own = adapter === undefined ? [] : [await stampOf(adapter.path)];
  return JSON.stringify([id, path, await stampOf(path), ...own, contextTokens ?? null, gpu, machine]);
}

export async function smallerBefore(
  options: SmallerLoadOptions,
  file: ModelFile,
  program: ServerProgram,
): Promise<ServerLoadWish['step']> {
  const step = await options.dependencies.loadSteps?.find(await keyOf(options, file, program));
  if (step === undefined || step === null) return null;
  return { grantedTokens: step.grantedTokens, why: ranOutOfMemory(step, 'its server') };
}

interface Failed {
  readonly model: { readonly file: ModelFile; readonly plan: ServerLoadPlan };
  readonly program: ServerProgram;
  readonly memory: NoMemory;
  readonly message: string;
}

/**
 * After the server ran out of memory with the planned size, the model gets one step less from now on. The returned
 * error is retryable and says so. There is no second step.
 */
export async function smallerLoad(
  options: SmallerLoadOptions,
  { model: { file, plan }, program, memory, message }: Failed,
  planAgain: (step: ServerLoadWish['step']) => Promise<{ readonly plan: ServerLoadPlan }>,
): Promise<ProviderError> {
  const { loadSteps, now } = options.dependencies;
  const hint = 'Ask for less: providers.llama-server.contextTokens in your settings.';
  const none = providerFailure('out-of-memory', `${message} ${hint}`);
  if (loadSteps === undefined || (await smallerBefore(options, file, program)) !== null) return none;
  const { grantedTokens } = plan;
  const onCards = memory === 'card' ? (await planAgain({ grantedTokens, why: '' })).plan : plan;
  const isLess = isSmaller(onCards, plan);
  if (!isLess && grantedTokens <= leastTokens) return none;
  const tokens = isLess ? onCards.grantedTokens : Math.max(leastTokens, Math.floor(grantedTokens / 512) * 256);
  const step: LoadStep = { grantedTokens: tokens, sequences: 1, before: sizeOf(plan), at: Math.floor(now()) };
  await loadSteps.note(await keyOf(options, file, program), step);
  const { plan: after } = await planAgain({ grantedTokens: tokens, why: '' });
  const text = `${message} From now on, it is loaded with ${inWords(after)} instead of ${inWords(plan)}.`;
  return { code: 'out-of-memory', message: text, retryable: true };
}

function isSmaller(after: ServerLoadPlan, before: ServerLoadPlan): boolean {
  return (
    after.grantedTokens < before.grantedTokens ||
    after.gpuLayers < before.gpuLayers ||
    after.hostExperts > before.hostExperts
  );
}

function sizeOf({ grantedTokens, gpuLayers, placement }: ServerLoadPlan): LoadSize {
  const isOnCard = placement !== null && placement !== 'host';
  return { grantedTokens, sequences: 1, ...(isOnCard ? { gpuLayers } : {}) };
}

function inWords(plan: ServerLoadPlan): string {
  const { hostExperts } = plan;
  const experts = hostExperts === 0 ? '' : `, the experts of ${hostExperts} of them in main memory`;
  return `${loadSizeInWords(sizeOf(plan))}${experts}`;
}
