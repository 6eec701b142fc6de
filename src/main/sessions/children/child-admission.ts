import { AppError } from '@shared/errors.ts';
import type { OneAtATime } from '../../lib/async/one-at-a-time.ts';
import { createOneAtATime } from '../../lib/async/one-at-a-time.ts';
import type { TreeMember } from './session-tree.ts';
import { placeInTree, whyNoChild } from './session-tree.ts';

interface Asked {
  /** True for a new child, false for one that continues. */
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

/** Creates the child after it was admitted. */
type Make = (place: { readonly rootId: string; readonly depth: number }) => Promise<void>;

/** Decides who may start a child, and when. Counts by all logs, so that no restart and no fork allows more. */
export interface ChildAdmission {
  /** Whether the tree of a session may have another child. */
  readonly hasRoom: (sessionId: string) => Promise<boolean>;
  /**
   * Admits a child when a working place is free. The returned function frees the place. Rejects with `refused` if no
   * place can become free, and with `cancelled`.
   */
  readonly admit: (sessionId: string, asked: Asked, make?: Make) => Promise<() => void>;
  /** Waits until no other child uses this local engine (null: it uses none). Resolves to null if it was cancelled. */
  readonly enterEngine: (provider: string | null, signal: AbortSignal) => Promise<(() => void) | null>;
}

export interface ChildAdmissionOptions {
  /** All sessions, including those in the bin. */
  readonly members: () => Promise<readonly TreeMember[]>;
  readonly caps: () => { readonly most: number; readonly atOnce: number };
}

interface Admission extends ChildAdmissionOptions {
  /** The working children, by the root of their tree. */
  readonly running: Map<string, RunningTree>;
  /** Counting and creating happen together: otherwise two at once would both see the last free place. */
  readonly counting: OneAtATime;
}

interface RunningTree {
  count: number;
  readonly waiting: Set<() => void>;
}

export function createChildAdmission(options: ChildAdmissionOptions): ChildAdmission {
  const admission: Admission = { ...options, running: new Map(), counting: createOneAtATime() };
  // A local engine does one thing at a time, and forgets what it has read for another child.
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

/** Counts a child before anything of it is made. The returned function frees its working place. */
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
      // Waits until a child ends, and then counts again, because others may have been faster.
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
