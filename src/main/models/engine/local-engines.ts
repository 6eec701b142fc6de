import { createOneAtATime } from '../../lib/async/one-at-a-time.ts';
import type { OneAtATime } from '../../lib/async/one-at-a-time.ts';

/** A model that an engine keeps in memory, and what of it would come free. Bytes. */
export interface HeldModel {
  /** As a person names it. */
  readonly model: string;
  /** Of the machine's own memory, beside mapped weights. */
  readonly hostBytes: number;
  /** Weights that are a mapped file: the system counts them as free, and yet they are read with every token. */
  readonly mappedBytes: number;
  readonly cardBytes: number;
}

/** What an engine of this machine has in memory. */
export interface EngineOccupant {
  /** Empty: nothing that Dewpoint has loaded. Never rejects. */
  readonly held: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
  /** Gives all of it back. Only while another engine has the turn, so that nobody is answering. May reject: it stays. */
  readonly unload: (signal: AbortSignal) => Promise<void>;
}

/**
 * The generators of this machine, whichever engine they belong to: one works at a time, in the order in which the calls
 * came, and one leaves its memory to another that does not fit beside it.
 */
export interface LocalEngines {
  readonly turn: OneAtATime;
  /** The last one under a name counts; returns what takes it back. */
  readonly register: (engine: string, occupant: EngineOccupant) => () => void;
  /** What all engines but this one hold. */
  readonly heldByOthers: (engine: string, signal: AbortSignal) => Promise<readonly HeldModel[]>;
  /** Has all engines but this one give their memory back; what they held. */
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

/** Sums of what models hold. */
export function sumHeldMemory(held: readonly HeldModel[]): Omit<HeldModel, 'model'> {
  const sum = (of: (one: HeldModel) => number): number => held.reduce((total, one) => total + of(one), 0);
  return {
    hostBytes: sum((one) => one.hostBytes),
    mappedBytes: sum((one) => one.mappedBytes),
    cardBytes: sum((one) => one.cardBytes),
  };
}
