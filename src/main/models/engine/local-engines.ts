import { createOneAtATime } from '../../lib/async/one-at-a-time.ts';
import type { OneAtATime } from '../../lib/async/one-at-a-time.ts';

/** A model that an engine holds in memory, and the bytes that unloading it would free. */
export interface HeldModel {
  /** The name that users know. */
  readonly model: string;
  /** Main memory without mapped weights. */
  readonly hostBytes: number;
  /** Weights in a mapped file. The system counts them as free memory, although every token reads them. */
  readonly mappedBytes: number;
  readonly cardBytes: number;
}

/** The memory that an engine of this machine holds. */
export interface EngineOccupant {
  /** The models that Dewpoint loaded into this engine. Empty: none. Never rejects. */
  readonly held: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
  /**
   * Unloads all of them. Call it only in the turn of another engine, so that no call is running. May reject; the
   * models then stay.
   */
  readonly unload: (signal: AbortSignal) => Promise<void>;
}

/**
 * All engines of this machine. One of them works at a time, in the order of the calls. An engine gives up its memory
 * if another one does not fit beside it.
 */
export interface LocalEngines {
  readonly turn: OneAtATime;
  /** Registers an engine. A later one with the same name replaces it. Returns a function that removes it. */
  readonly register: (engine: string, occupant: EngineOccupant) => () => void;
  /** What all other engines hold. */
  readonly heldByOthers: (engine: string, signal: AbortSignal) => Promise<readonly HeldModel[]>;
  /** Unloads all other engines. Returns what they held. */
  readonly unloadOthers: (engine: string, signal: AbortSignal) => Promise<readonly HeldModel[]>;
}

export function createLocalEngines(): LocalEngines {
  const occupants = new Map<string, EngineOccupant>();
  const otherOccupants = (engine: string): readonly EngineOccupant[] =>
    [...occupants].flatMap(([name, occupant]) => (name === engine ? [] : [occupant]));
  return {
    turn: createOneAtATime(),
    register: (engine, occupant) => {
      occupants.set(engine, occupant);
      return () => {
        if (occupants.get(engine) === occupant) occupants.delete(engine);
      };
    },
    heldByOthers: async (engine, signal) =>
      (await Promise.all(otherOccupants(engine).map((occupant) => occupant.held(signal)))).flat(),
    unloadOthers: async (engine, signal) => {
      const gone: HeldModel[] = [];
      for (const occupant of otherOccupants(engine)) {
        const held = await occupant.held(signal);
        if (held.length === 0) continue;
        const isGone = await occupant.unload(signal).then(
          () => true,
          () => false,
        );
        if (isGone) gone.push(...held);
      }
      return gone;
    },
  };
}

/** Adds up what models hold. */
export function sumHeldMemory(held: readonly HeldModel[]): Omit<HeldModel, 'model'> {
  const sum = (of: (one: HeldModel) => number): number => held.reduce((total, one) => total + of(one), 0);
  return {
    hostBytes: sum((one) => one.hostBytes),
    mappedBytes: sum((one) => one.mappedBytes),
    cardBytes: sum((one) => one.cardBytes),
  };
}
