import { basename } from 'node:path';
import { mostPictureTokens, scalesPictures, sightMemory } from './estimate/projector-memory.ts';
import type { ProjectorFacts } from './estimate/projector-memory.ts';
import type { CacheType, GrantedMemoryPlan } from '@shared/models/memory-estimate.ts';
import { besideDraft, draftMemory } from './draft-memory.ts';
import type { DraftLoad, DraftMemory } from './draft-memory.ts';
import type { Card } from './memory-plan.ts';
import { leastTokens, planMemory, usefulTokens } from './memory-plan.ts';
import { estimateMemory, readModelMemory } from './estimate/model-memory.ts';
import type { ModelFacts, ModelMemory } from './estimate/model-memory.ts';

export interface ServerLoadWish {
  /** Null: the file's header could not be read. */
  readonly facts: ModelFacts | null;
  /** Tokens. Null: use a size that suits this machine. */
  readonly askedTokens: number | null;
  /** The cards that the server's build can use. */
  readonly cards: readonly Card[];
  readonly hostFreeBytes: number;
  /**
   * Set after a load ran out of memory: a tenth of each card stays free, and the context has at most these tokens.
   * Absent: none did.
   */
  readonly step?: { readonly grantedTokens: number; readonly why: string } | null | undefined;
  /** Null: no drafts. */
  readonly draft: DraftLoad | null;
  /** Absent: it sees no pictures. */
  readonly projector?: ProjectorFacts | null;
}

/** How to start our llama-server, and the memory that it needs. */
export interface ServerLoadPlan {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  readonly cacheType: CacheType;
  /** Null: nothing could be computed, so the server places the layers itself. */
  readonly placement: Exclude<GrantedMemoryPlan['placement'], 'nowhere'> | null;
  readonly gpuLayers: number;
  readonly hostExperts: number;
  /** Layers of each card, in order. */
  readonly cardLayers: readonly number[];
  /** Weights, context and compute buffers. Null: not computed. */
  readonly predictedBytes: number | null;
  /** The part of it on cards together, and on each card. */
  readonly cardBytes: number | null;
  readonly cardSizes: readonly number[];
  /** The part of it for drafts. Null: no drafts, or not computed. */
  readonly draftBytes: number | null;
  /** How it sees pictures. Null: it does not. */
  readonly sight: SightPlan | null;
  /** Why it is less than was asked for, or where it runs. Null: nothing to say. */
  readonly why: string | null;
}

/** The part of a plan that is for pictures. */
export interface SightPlan {
  /** Weights and compute buffer, as part of `predictedBytes`. */
  readonly bytes: number;
  /** Of one picture. Null: the server decides. */
  readonly mostTokens: number | null;
  /** The limit that the server is told. Null: it scales every picture to one size, or no rule is known here. */
  readonly limit: number | null;
  readonly isOnCard: boolean;
  /** No rule covers the graph of this kind. */
  readonly isEstimate: boolean;
}

export const serverBatchTokens = 512;

/** Pure. Plans for one conversation, because the server answers one call at a time. */
export function planServerLoad(wish: ServerLoadWish): ServerLoadPlan {
  const { facts, askedTokens, step } = wish;
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
    draftBytes: null,
    sight: sightOf(wish, { contextTokens: Math.min(most, usefulTokens.processor), isOnCard: cards.length > 0 }),
    why: step?.why ?? (most < asked ? `it was trained for ${most} tokens` : null),
  };
  if (read === null || !read.known) return { ...plain, why: read === null ? 'its header could not be read' : read.why };
  return planned({ ...wish, cards }, read.memory, { plain, most });
}

function planned(
  { cards, hostFreeBytes, draft, step, projector = null }: ServerLoadWish,
  memory: ModelMemory,
  { plain, most }: { readonly plain: ServerLoadPlan; readonly most: number },
): ServerLoadPlan {
  const engine = 'llama-server';
  const draftTokens = draft?.isInside === true ? draft.tokens : 0;
  const outputs = 1 + (draft?.tokens ?? 0);
  const made = {
    flashAttention: true,
    ubatchTokens: serverBatchTokens,
    unified: false,
    draftTokens,
    outputs,
    slots: 1,
  };
  const drafted = (contextTokens: number): DraftMemory | null =>
    draft === null ? null : draftMemory(draft, memory, { ...made, cacheType: 'f16', contextTokens });
  const seenAt = sightOf({ projector }, { contextTokens: most, isOnCard: true });
  const room = besideDraft({ cards, hostFreeBytes }, (drafted(most)?.bytes ?? 0) + (seenAt?.bytes ?? 0));
  const plan = planMemory(memory, { ...made, ...room, askedTokens: most, cacheType: null, engine });
  // If nothing fits by our estimate, the server is still asked for the least context. It knows better, and reports a
  // failure.
  const grantedTokens = plan.context > 0 ? plan.context : Math.min(leastTokens, most);
  const context = { ...made, cacheType: plan.kv, contextTokens: grantedTokens };
  const { totalBytes } = estimateMemory(memory, { engine, context });
  const ahead = drafted(grantedTokens);
  const isOnCard = plan.devices.some(({ bytes }) => bytes > 0);
  const sight = sightOf({ projector }, { contextTokens: grantedTokens, isOnCard });
  const aheadBytes = (ahead?.bytes ?? 0) + (sight?.bytes ?? 0);
  const onCards = plan.devices.reduce((sum, { bytes }) => sum + bytes, 0);
  // No load with experts in main memory was measured on a card.
  const estimate = plan.placement === 'experts-on-host' ? ' (what the card takes is an estimate)' : '';
  const guessed = ahead !== null && (ahead.isEstimate || onCards > 0) ? 'what its drafts take is an estimate' : null;
  const isPlain = plan.placement === 'devices' || (plan.placement === 'host' && cards.length === 0);
  return {
    ...plain,
    grantedTokens,
    cacheType: plan.kv,
    placement: plan.placement === 'nowhere' ? null : plan.placement,
    gpuLayers: plan.gpuLayers,
    hostExperts: plan.hostExperts ?? 0,
    cardLayers: plan.devices.map(({ layers }) => layers),
    predictedBytes: totalBytes === null ? null : totalBytes + aheadBytes,
    cardBytes: onCards === 0 ? 0 : onCards + aheadBytes,
    cardSizes: plan.devices.map(({ bytes }) => bytes),
    draftBytes: ahead?.bytes ?? null,
    sight,
    why: joined(
      ...(grantedTokens < most || !isPlain
        ? [step?.why ?? null, plan.reason.replace(/\.$/u, '') + estimate]
        : [plain.why]),
      guessed,
      sight?.isEstimate === true ? 'what it takes to see is an estimate' : null,
    ),
  };
}

function sightOf(
  { projector = null }: Pick<ServerLoadWish, 'projector'>,
  { contextTokens, isOnCard }: { readonly contextTokens: number; readonly isOnCard: boolean },
): SightPlan | null {
  if (projector === null) return null;
  const mostTokens = mostPictureTokens(projector, contextTokens, serverBatchTokens);
  const { weightsBytes, computeBytes, isEstimate } = sightMemory(projector, mostTokens);
  const limit = scalesPictures(projector) ? mostTokens : null;
  return { bytes: weightsBytes + computeBytes, mostTokens, limit, isOnCard, isEstimate };
}

/** The options with which llama-server sees pictures. */
export function sightArguments(path: string | null, { sight }: ServerLoadPlan): readonly string[] {
  if (path === null || sight === null) return [];
  return [
    '--mmproj',
    path,
    ...(sight.limit === null ? [] : ['--image-max-tokens', String(sight.limit)]),
    // Without it, the projector goes to a card even if the model does not.
    ...(sight.isOnCard ? [] : ['--no-mmproj-offload']),
  ];
}

function joined(...reasons: readonly (string | null)[]): string | null {
  return reasons.filter((reason) => reason !== null).join('; ') || null;
}

function lessOf(card: Card): Card {
  return { ...card, freeBytes: Math.max(0, Math.min(card.freeBytes, card.totalBytes) - card.totalBytes / 10) };
}

/** The options for llama-server. */
export function loadArguments(path: string, plan: ServerLoadPlan): readonly string[] {
  const { placement, gpuLayers, hostExperts, cardLayers, cacheType } = plan;
  // The output is on the card of the last layers, and counts as one of them.
  const last = cardLayers.findLastIndex((layers) => layers > 0);
  const split = cardLayers.map((layers, index) => layers + (index === last ? 1 : 0));
  return [
    '--model',
    path,
    // Without an alias, the server reports the path as the model's name.
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
