import { basename } from 'node:path';
import type { CacheType, GrantedMemoryPlan } from '@shared/models/memory-estimate.ts';
import type { Card } from './memory-plan.ts';
import { leastTokens, planMemory } from './memory-plan.ts';
import { estimateMemory, readModelMemory } from './estimate/model-memory.ts';
import type { ModelFacts } from './estimate/model-memory.ts';

export interface ServerLoadWish {
  /** Null: the file's header could not be read. */
  readonly facts: ModelFacts | null;
  /** Tokens; null: what is useful on such a machine. */
  readonly askedTokens: number | null;
  /** Those that the server's own build can use. */
  readonly cards: readonly Card[];
  readonly hostFreeBytes: number;
  /** Of a load that ran out of memory: a tenth of each card stays free, and no more tokens than these. Absent: none did. */
  readonly step?: { readonly grantedTokens: number; readonly why: string } | null | undefined;
}

/** What a llama-server of our own is started with, and what that takes. */
export interface ServerLoadPlan {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  readonly cacheType: CacheType;
  /** Null: nothing could be computed, and the server places the layers itself. */
  readonly placement: Exclude<GrantedMemoryPlan['placement'], 'nowhere'> | null;
  readonly gpuLayers: number;
  readonly hostExperts: number;
  /** Layers of each card, in their order. */
  readonly cardLayers: readonly number[];
  /** Of weights, context and compute buffers; null where it was not computed. */
  readonly predictedBytes: number | null;
  /** The part of them that is on cards, and of each card. */
  readonly cardBytes: number | null;
  readonly cardSizes: readonly number[];
  /** Why it is less than was asked, or where it is; null where there is nothing to say. */
  readonly why: string | null;
}

/** A processor reads some ten to hundred tokens a second: a longer prompt would be waited for, not used. */
const usefulTokens = { card: 65_536, processor: 8_192 } as const;
export const serverBatchTokens = 512;

/** Pure. One conversation, for the server is asked by one turn at a time. */
export function planServerLoad({ facts, askedTokens, hostFreeBytes, step, ...wish }: ServerLoadWish): ServerLoadPlan {
  const cards = step ? wish.cards.map(lessOf) : wish.cards;
  const read = facts === null ? null : readModelMemory(facts);
  const trained = read?.known === true ? read.memory.trainedTokens : null;
  const useful = cards.length > 0 ? usefulTokens.card : usefulTokens.processor;
  const asked = askedTokens ?? Math.min(useful, trained ?? useful);
  const most = Math.min(asked, trained ?? asked, step?.grantedTokens ?? asked);
  const plain: ServerLoadPlan = {
    askedTokens: asked,
    grantedTokens: Math.min(most, usefulTokens.processor),
    cacheType: 'f16',
    placement: null,
    gpuLayers: 0,
    hostExperts: 0,
    cardLayers: [],
    predictedBytes: null,
    cardBytes: null,
    cardSizes: [],
    why: step?.why ?? (most < asked ? `it was trained for ${most} tokens` : null),
  };
  if (read === null || !read.known) return { ...plain, why: read === null ? 'its header could not be read' : read.why };
  const engine = 'llama-server';
  const made = { flashAttention: true, ubatchTokens: serverBatchTokens, unified: false, draftTokens: 0, slots: 1 };
  const plan = planMemory(read.memory, { ...made, askedTokens: most, cacheType: null, engine, cards, hostFreeBytes });
  // Where by our count nothing fits, the server is still asked, for the least: it knows better, and says so if not.
  const grantedTokens = plan.context > 0 ? plan.context : Math.min(leastTokens, most);
  const context = { ...made, cacheType: plan.kv, contextTokens: grantedTokens };
  const { totalBytes } = estimateMemory(read.memory, { engine, context });
  // No load with experts in main memory was measured on a card.
  const estimate = plan.placement === 'experts-on-host' ? ' (what the card takes is an estimate)' : '';
  const isPlain = plan.placement === 'devices' || (plan.placement === 'host' && cards.length === 0);
  return {
    ...plain,
    grantedTokens,
    cacheType: plan.kv,
    placement: plan.placement === 'nowhere' ? null : plan.placement,
    gpuLayers: plan.gpuLayers,
    hostExperts: plan.hostExperts ?? 0,
    cardLayers: plan.devices.map(({ layers }) => layers),
    predictedBytes: totalBytes,
    cardBytes: plan.devices.reduce((sum, { bytes }) => sum + bytes, 0),
    cardSizes: plan.devices.map(({ bytes }) => bytes),
    why:
      [step?.why ?? null, grantedTokens < most || !isPlain ? plan.reason.replace(/\.$/u, '') + estimate : null]
        .filter((reason) => reason !== null)
        .join('; ') || plain.why,
  };
}

function lessOf(card: Card): Card {
  return { ...card, freeBytes: Math.max(0, Math.min(card.freeBytes, card.totalBytes) - card.totalBytes / 10) };
}

/** As options of llama-server. */
export function loadArguments(path: string, plan: ServerLoadPlan): readonly string[] {
  const { placement, gpuLayers, hostExperts, cardLayers, cacheType } = plan;
  // The output lies with the last layers, and is counted as one of them.
  const last = cardLayers.findLastIndex((layers) => layers > 0);
  const split = cardLayers.map((layers, index) => layers + (index === last ? 1 : 0));
  return [
    '--model',
    path,
    // Else it gives the path as its name.
    '--alias',
    basename(path, '.gguf'),
    '--ctx-size',
    String(plan.grantedTokens),
    '--ubatch-size',
    String(serverBatchTokens),
    ...(cacheType === 'f16' ? [] : ['--cache-type-k', cacheType, '--cache-type-v', cacheType]),
    ...(placement === 'host' ? ['--device', 'none'] : []),
    ...(placement === null || placement === 'host' ? [] : ['--n-gpu-layers', String(gpuLayers)]),
    ...(hostExperts === 0 ? [] : ['--n-cpu-moe', String(hostExperts)]),
    ...(split.length > 1 && gpuLayers > 0 ? ['--tensor-split', split.join(',')] : []),
  ];
}
