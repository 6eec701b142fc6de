import { type } from '@orpc/contract';
import { base } from './contract-base.ts';
import { z } from 'zod';

/** Where the key of a provider comes from. Never holds the key. */
export interface KeyEntry {
  readonly provider: string;
  readonly source: 'environment' | 'this-run' | 'store' | null;
  /** The environment variable that may hold it. */
  readonly variable: string | null;
}

/** The keys, and whether this system has a key store. */
export interface KeyReport {
  readonly store:
    | { readonly type: 'ready' }
    | { readonly type: 'locked' | 'unavailable'; readonly message: string; readonly hint: string };
  readonly keys: readonly KeyEntry[];
}

/**
 * The result of a free call with the key that is set. `open`: the service answers without a key. `unknown`: it did not
 * answer.
 */
export interface KeyTest {
  readonly test: 'accepted' | 'open' | 'refused' | 'unknown';
  /** What the service said. */
  readonly text: string;
}

/** What happened to a key that was set. */
export interface KeyOutcome extends KeyTest {
  readonly kept: 'store' | 'this-run';
}

/** The progress of a sign-in to a service that issues a key. The address to open in a browser comes first. */
export type KeySignInProgress =
  | { readonly type: 'open'; readonly url: string }
  | { readonly type: 'done'; readonly outcome: KeyOutcome };

const provider = z.string().min(1).max(100);

/** Keys of providers. No answer holds a key. */
export const keysContract = {
  keys: {
    list: base.output(type<KeyReport>()),
    /** `forThisRun`: keeps the key only in the memory of the core, for systems without a key store. */
    set: base
      .input(
        z.object({
          provider,
          value: z.string().min(1).max(20_000),
          forThisRun: z.boolean().default(false),
        }),
      )
      .output(type<KeyOutcome>()),
    /**
     * Gets a key by a sign-in in the browser, if the service offers one. The key goes straight from the service to the
     * core.
     */
    signIn: base
      .input(z.object({ provider, forThisRun: z.boolean().default(false) }))
      .output(type<AsyncIterable<KeySignInProgress>>()),
    /** The address of the sign-in that waits for the user; null when none does. */
    signInAddress: base.input(z.object({ provider })).output(type<{ readonly url: string | null }>()),
    /** Takes the address at which a browser on another machine ended. */
    finishSignIn: base.input(z.object({ provider, address: z.string().min(1).max(20_000) })).output(type<void>()),
    /** Tests a key with the service without keeping it. */
    try: base.input(z.object({ provider, value: z.string().min(1).max(20_000) })).output(type<KeyTest>()),
    /** Also works for an endpoint that needs no key. */
    test: base.input(z.object({ provider })).output(type<KeyTest>()),
    remove: base.input(z.object({ provider })).output(type<void>()),
    /**
     * Restores a key that was removed less than `removedKeyRestoreMs` ago. The core kept it; the caller never sees it.
     */
    restore: base.input(z.object({ provider })).output(type<void>()),
  },
};
