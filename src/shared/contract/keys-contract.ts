import { type } from '@orpc/contract';
import { base } from './contract-base.ts';
import { z } from 'zod';

/** Where the key of a provider comes from; never the key. */
export interface KeyEntry {
  readonly provider: string;
  readonly source: 'environment' | 'this-run' | 'store' | null;
  /** The environment variable that may hold it. */
  readonly variable: string | null;
}

/** The keys, and whether this system has a place for them. */
export interface KeyReport {
  readonly store:
    | { readonly type: 'ready' }
    | { readonly type: 'locked' | 'unavailable'; readonly message: string; readonly hint: string };
  readonly keys: readonly KeyEntry[];
}

/** A call of a service that costs nothing, with the key that is set. `open`: it answers whoever asks, `unknown`: not at all. */
export interface KeyTest {
  readonly test: 'accepted' | 'open' | 'refused' | 'unknown';
  /** What the service said. */
  readonly text: string;
}

/** What became of a key that was set. */
export interface KeyOutcome extends KeyTest {
  readonly kept: 'store' | 'this-run';
}

/** Keys of providers. No answer holds one. */
export const keysContract = {
  keys: {
    list: base.output(type<KeyReport>()),
    /** `forThisRun`: kept in the memory of the core only, where the system has no key store. */
    set: base
      .input(
        z.object({
          provider: z.string().min(1).max(100),
          value: z.string().min(1).max(20_000),
          forThisRun: z.boolean().default(false),
        }),
      )
      .output(type<KeyOutcome>()),
    /** What the service says to a key before it is kept: nothing of it is. */
    try: base
      .input(z.object({ provider: z.string().min(1).max(100), value: z.string().min(1).max(20_000) }))
      .output(type<KeyTest>()),
    /** Also of an endpoint that needs none. */
    test: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<KeyTest>()),
    remove: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<void>()),
    /** Puts back what was removed a moment ago (`removedKeyMs`): the core has it, and whoever asks never sees it. */
    restore: base.input(z.object({ provider: z.string().min(1).max(100) })).output(type<void>()),
  },
};
