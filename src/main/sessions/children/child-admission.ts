import { AppError } from '@shared/errors.ts';
import type { OneAtATime } from '../../lib/async/one-at-a-time.ts';
import { createOneAtATime } from '../../lib/async/one-at-a-time.ts';
import type { TreeMember } from './session-tree.ts';
import { placeInTree, whyNoChild } from './session-tree.ts';

interface Asked {
  /** It is a new child; else one that goes on. */
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

/** Makes what was let in. */
type Make = (place: { readonly rootId: string; readonly depth: number }) => Promise<void>;

/** Who may start a child, and when: counted by the logs of all sessions, so that no restart and no fork gives more. */
export interface ChildAdmission {
  /** Whether the tree of a session may have another one. */
  readonly hasRoom: (sessionId: string) => Promise<boolean>;
  /**
   * Lets one in when there is a place among those that work. The returned function gives the place back. Rejects with
   * `refused` where there is none to wait for, and with `cancelled`.
   */
  readonly admit: (sessionId: string, asked: Asked, make?: Make) => Promise<() => void>;
  /** Waits until no other child is at the engine of this machine that it may ask (null: none); null: it was cancelled. */
  readonly enterEngine: (provider: string | null, signal: AbortSignal) => Promise<(() => void) | null>;
}

export interface ChildAdmissionOptions {
  /** Every session that there is, those in the bin among them. */
  readonly members: () => Promise<readonly TreeMember[]>;
  readonly caps: () => { readonly most: number; readonly atOnce: number };
}

interface Admission extends ChildAdmissionOptions {
  /** Children that work now, by the root of their tree. */
  readonly running: Map<string, RunningTree>;
  /** Counting and making is one thing: two at once would each see room for one. */
  readonly counting: OneAtATime;
}

interface RunningTree {
  count: number;
  readonly waiting: Set<() => void>;
}

export function createChildAdmission(options: ChildAdmissionOptions): ChildAdmission {
  const admission: Admission = { ...options, running: new Map(), counting: createOneAtATime() };
  // An engine of this machine does one thing at a time, and forgets what it read for another.
  const engines = new Map<string, OneAtATime>();
  return {
    hasRoom: async (sessionId) => {
      const { most } = options.caps();
      return most > 0 && whyNoChild(sessionId, { members: await options.members(), most }) === null;
    },
    admit: (sessionId, asked, make) => admit(admission, sessionId, asked, make),
    enterEngine: async (provider, signal) => {
      if (provider === null) return () => undefined;
      const engine = engines.get(provider) ?? createOneAtATime();
      engines.set(provider, engine);
      return engine.enter(signal);
    },
  };
}

/** Counts it, before anything of it is made. The returned function frees its place among those that work. */
async function admit(
  { counting, members, running, caps }: Admission,
  sessionId: string,
  { isNew, signal }: Asked,
  make?: Make,
): Promise<() => void> {
  for (;;) {
    const leave = await counting.enter(signal);
    if (leave === null) throw cancelledChild();
    try {
      const all = await members();
      const { most, atOnce } = caps();
      const why = whyNoChild(sessionId, { members: all, most: isNew ? most : Number.POSITIVE_INFINITY });
      if (why !== null) throw new AppError('refused', why);
      const place = placeInTree(sessionId, all);
      const tree = running.get(place.rootId) ?? { count: 0, waiting: new Set() };
      running.set(place.rootId, tree);
      if (tree.count < atOnce) {
        await make?.(place);
        tree.count += 1;
        return () => free(tree);
      }
      // Its turn comes when one has ended; counted anew then, for others may have come before.
      leave();
      await whenFreed(tree, signal);
    } finally {
      leave();
    }
  }
}

function free(tree: RunningTree): void {
  tree.count -= 1;
  for (const wake of tree.waiting) wake();
}

async function whenFreed({ waiting }: RunningTree, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
  });
}

export function cancelledChild(): AppError {
  return new AppError('cancelled', 'It was cancelled.');
}
