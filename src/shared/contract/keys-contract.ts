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

/** What happens while a person signs in to a service for a key: first the address to be opened in a browser. */
export type KeySignInProgress =
  | { readonly type: 'open'; readonly url: string }
  | { readonly type: 'done'; readonly outcome: KeyOutcome };

const provider = z.string().min(1).max(100);

/** Keys of providers. No answer holds one. */
export const keysContract = {
  keys: {
    list: base.output(type<KeyReport>()),
    /** `forThisRun`: kept in the memory of the core only, where the system has no key store. */
    set: base
      .input(
        z.object({
          provider,
          value: z.string().min(1).max(20_000),
          forThisRun: z.boolean().default(false),
        }),
      )
      .output(type<KeyOutcome>()),
    /** By a browser, at a service that offers it. The key goes from the service to the core. */
    signIn: base
      .input(z.object({ provider, forThisRun: z.boolean().default(false) }))
      .output(type<AsyncIterable<KeySignInProgress>>()),
    /** The address of a sign-in that waits for the person; null: none does. */
    signInAddress: base.input(z.object({ provider })).output(type<{ readonly url: string | null }>()),
    /** What a browser on another machine ended at. */
    finishSignIn: base.input(z.object({ provider, address: z.string().min(1).max(20_000) })).output(type<void>()),
    /** What the service says to a key before it is kept: nothing of it is. */
    try: base.input(z.object({ provider, value: z.string().min(1).max(20_000) })).output(type<KeyTest>()),
    /** Also of an endpoint that needs none. */
    test: base.input(z.object({ provider })).output(type<KeyTest>()),
    remove: base.input(z.object({ provider })).output(type<void>()),
    /** Puts back what was removed a moment ago (`removedKeyMs`): the core has it, and whoever asks never sees it. */
    restore: base.input(z.object({ provider })).output(type<void>()),
  },
};
