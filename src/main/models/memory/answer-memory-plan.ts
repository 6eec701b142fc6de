import type { CacheType, DeviceMemory, EngineProfile, MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import { budgetBytes, leastTokens, planMemory, ruleOfThumb, usefulTokens } from './memory-plan.ts';
import { engineContext, estimateMemory, readModelMemory, unknownMemory } from './estimate/model-memory.ts';
import type { ModelFacts, ModelMemory } from './estimate/model-memory.ts';
import { contextTerms, refusedCache } from './estimate/context-memory.ts';
import type { ContextRequest } from './estimate/context-memory.ts';
import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { Hardware } from '../machine/hardware.ts';

/** A question to the planner. Null fields mean no wish. */
export interface MemoryPlanQuestion {
  readonly model: string | null;
  readonly facts: ModelFacts;
  readonly contextTokens: number | null;
  readonly cacheType: CacheType | null;
  readonly flashAttention: boolean;
  readonly ubatchTokens: number;
  readonly slots: number;
  readonly unified: boolean;
  readonly engine: EngineProfile;
  readonly hardware: Hardware;
  /** Cells, states and compute buffer of the answer's context, by a dry run of the engine. Null: there was none. */
  readonly measuredBytes: number | null;
}

/** Estimate and plan in one answer. Pure. Fails with `bad-input` for a cache that the engine would refuse. */
export function answerMemoryPlan(question: MemoryPlanQuestion): Reply<MemoryPlanAnswer> {
  const read = readModelMemory(question.facts);
  if (!read.known) return success(unknownAnswer(question, read.why));
  const { memory } = read;
  const { flashAttention, cacheType } = question;
  if (cacheType !== null) {
    const refused = refusedCache(memory.context, memory.headWidths, { cacheType, flashAttention });
    if (refused !== null) return failure('bad-input', refused, 'Leave --kv out, or turn flash attention on.');
  }
  const granted = planMemory(memory, {
    askedTokens: question.contextTokens,
    cacheType,
    flashAttention,
    ubatchTokens: question.ubatchTokens,
    slots: question.slots,
    unified: question.unified,
    draftTokens: 0,
    engine: question.engine,
    cards: question.hardware.devices,
    hostFreeBytes: question.hardware.host.freeBytes,
  });
  const context: ContextRequest = {
    contextTokens: question.contextTokens ?? Math.max(256, granted.context),
    cacheType: granted.kv,
    flashAttention,
    ubatchTokens: question.ubatchTokens,
    slots: question.slots,
    unified: question.unified,
    draftTokens: 0,
  };
  const made = engineContext(memory, question.engine, context);
  const kept = contextTerms(memory.context, made).reduce((sum, term) => sum + term.bytes, 0);
  const { measuredBytes } = question;
  const estimate = estimateMemory(memory, {
    engine: question.engine,
    context,
    measuredComputeBytes: measuredBytes === null || measuredBytes < kept ? null : measuredBytes - kept,
  });
  const usual = usualTokens(question, granted.context);
  return success({ ...estimate, ...frame(question, memory), granted, usual, why: null });
}

function usualTokens({ contextTokens, slots, hardware }: MemoryPlanQuestion, granted: number): number | null {
  const useful = hardware.devices.length > 0 ? usefulTokens.card : usefulTokens.processor;
  return contextTokens !== null || useful * slots >= granted ? null : useful;
}

function frame(
  { model, contextTokens, hardware }: MemoryPlanQuestion,
  memory: ModelMemory | null,
): Pick<
  MemoryPlanAnswer,
  'model' | 'architecture' | 'trainedTokens' | 'asked' | 'evaluated' | 'devices' | 'host' | 'ruleOfThumb'
> {
  return {
    model,
    architecture: memory?.architecture ?? null,
    trainedTokens: memory?.trainedTokens ?? null,
    asked: contextTokens,
    evaluated: null,
    devices: hardware.devices,
    host: hardware.host,
    ruleOfThumb: thumb(hardware.devices),
  };
}

/** For a model that no rule covers: the rule of thumb for the largest card, marked as such. */
function unknownAnswer(question: MemoryPlanQuestion, why: string): MemoryPlanAnswer {
  const { hardware, contextTokens, facts, cacheType } = question;
  const thumbed = thumb(hardware.devices) ?? leastTokens;
  const context = Math.min(contextTokens ?? thumbed, thumbed);
  return {
    ...unknownMemory(facts.weights?.totalBytes ?? null),
    ...frame(question, null),
    granted: {
      context,
      kv: cacheType ?? 'f16',
      gpuLayers: 0,
      placement: 'nowhere',
      devices: hardware.devices.map((device) => ({
        name: device.name,
        layers: 0,
        bytes: 0,
        budgetBytes: budgetBytes(device),
      })),
      hostBytes: null,
      reason: `Not computed: ${why} ${context} tokens is a rule of thumb for such a card.`,
      warnings: ['The memory that this model needs is unknown before it is loaded.'],
    },
    usual: usualTokens(question, context),
    why,
  };
}

function thumb(devices: readonly DeviceMemory[]): number | null {
  return devices.length === 0 ? null : ruleOfThumb(Math.max(...devices.map((device) => device.totalBytes)));
}
