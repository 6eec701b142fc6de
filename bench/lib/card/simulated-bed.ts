import { writtenPerSecond } from '../../../src/main/models/suggest/expected-speed.ts';
import type { CardAnswer, CardBed, CardFile, CardLoad, CardWish } from './card-bed.ts';

/** A simulated card, with the faults that a card can have. The procedure has to detect each of them. */
export interface SimulatedCard {
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
  readonly contextBytesPerToken: number;
  /** The share of the plan that the engine really uses. Default 1. */
  readonly taken?: number;
  readonly leaks?: boolean;
  readonly usesProcessor?: boolean;
  readonly hidesKill?: boolean;
  readonly abortMs?: number;
  /** The share of the speed that the memory allows. Default 1. */
  readonly speed?: number;
}

interface Shared {
  used: number;
}

const overheadBytes = 400 * 1024 * 1024;

export function createSimulatedBed(card: SimulatedCard, shared: Shared = { used: overheadBytes }): CardBed {
  let held = 0;
  const release = async (): Promise<void> => {
    if (card.leaks !== true) shared.used -= held;
    held = 0;
  };
  const plan = async (file: CardFile, wish: CardWish): Promise<CardLoad> => {
    const room = (wish.cardBytes ?? card.totalBytes) - (wish.isForced === true ? 0 : overheadBytes);
    const forContext = wish.isForced === true ? Number.POSITIVE_INFINITY : room - file.bytes;
    const most = Math.floor(forContext / card.contextBytesPerToken / 256) * 256;
    const isWhole = most >= 4_096;
    const contextTokens = isWhole ? Math.min(wish.contextTokens, most) : Math.min(wish.contextTokens, 4_096);
    const share = isWhole ? 1 : Math.max(0, Math.min(1, (room - 4_096 * card.contextBytesPerToken) / file.bytes));
    const gpuLayers = Math.floor(share * 32);
    const cells = contextTokens * (wish.conversations ?? 1);
    const predictedBytes = (file.bytes * gpuLayers) / 32 + cells * card.contextBytesPerToken;
    return {
      placement: isWhole ? 'devices' : gpuLayers > 0 ? 'partly-on-host' : 'host',
      gpuLayers,
      contextTokens,
      predictedBytes,
    };
  };
  return {
    usedBytes: async () => shared.used,
    plan,
    release,
    beside: async () => createSimulatedBed(card, shared),
    async answer(file, wish, { end }): Promise<CardAnswer> {
      const load = await plan(file, wish);
      await release();
      const bytes = (load.predictedBytes ?? 0) * (card.taken ?? 1);
      if (shared.used + bytes > card.totalBytes) return failed('out-of-memory', 'the card has no room');
      held = bytes;
      shared.used += bytes;
      if (end === 'kill') await release();
      const isKilled = end === 'kill' && card.hidesKill !== true;
      const whole = writtenPerSecond(file.activeBytes ?? file.bytes, card.bytesPerSecond, true);
      const written = whole * (card.speed ?? 1);
      return {
        error: isKilled ? { code: 'engine-lost', message: 'the engine ended' } : null,
        backend: card.usesProcessor === true ? 'cpu' : 'cuda',
        contextTokens: load.contextTokens,
        observedBytes: bytes,
        findings: [],
        readPerSecond: written * 40,
        writtenPerSecond: written,
        endedAfterMs: end === undefined ? null : (card.abortMs ?? 20),
      };
    },
  };
}

function failed(code: string, message: string): CardAnswer {
  const nothing = { backend: null, contextTokens: null, observedBytes: null, readPerSecond: null } as const;
  return { ...nothing, error: { code, message }, findings: [], writtenPerSecond: null, endedAfterMs: null };
}
