import { mostDepth } from '../../src/shared/session/agent-tree.ts';
import { createChildAdmission } from '../../src/main/sessions/children/child-admission.ts';
import type { TreeMember } from '../../src/main/sessions/children/session-tree.ts';
import { placeInTree } from '../../src/main/sessions/children/session-tree.ts';
import type { CapRun } from './cap-runs.ts';

/** Admitted work, and how to end it. */
interface Running {
  readonly root: string;
  readonly leave: () => void;
}

/**
 * One made-up home: sessions are made and forked; parents, forks and children start children, several at once; some get
 * another message, some end, some go to the bin, and the program restarts in between. A separate count of who made whom
 * judges: beyond a cap in sum, at once or in depth.
 */
export async function runChildTree(random: () => number): Promise<CapRun> {
  const upTo = (count: number): number => Math.floor(random() * count);
  const caps = { most: 1 + upTo(6), atOnce: 1 + upTo(3) };
  const members: TreeMember[] = [];
  const trueRoot = new Map<string, string>();
  const trueDepth = new Map<string, number>();
  const made = new Map<string, number>();
  let running: Running[] = [];
  let admission = createChildAdmission({ members: async () => [...members], caps: () => caps });
  const counts = { beyond: 0, granted: 0, refused: 0 };
  const add = (member: TreeMember, root: string, depth: number): void => {
    members.push(member);
    trueRoot.set(member.id, root);
    trueDepth.set(member.id, depth);
  };
  const judge = (root: string): void => {
    const working = running.filter((one) => one.root === root).length;
    if ((made.get(root) ?? 0) > caps.most || working > caps.atOnce) counts.beyond += 1;
  };
  const spawn = async (by: string, isNew: boolean): Promise<void> => {
    const root = trueRoot.get(by) ?? by;
    const stop = new AbortController();
    // Nothing waits here for a free place: whatever would wait is given up.
    const given = setImmediate(() => setImmediate(() => stop.abort()));
    try {
      const leave = await admission.admit(by, { isNew, signal: stop.signal }, async ({ rootId, depth }) => {
        await Promise.resolve();
        if (!isNew) return;
        const id = `s${members.length}`;
        add(
          { id, parentId: null, tree: { rootId, depth: depth + 1, by: { sessionId: by, toolCallId: 't', name: id } } },
          root,
          (trueDepth.get(by) ?? 0) + 1,
        );
        made.set(root, (made.get(root) ?? 0) + 1);
        if (rootId !== root || depth + 1 > mostDepth) counts.beyond += 1;
      });
      counts.granted += 1;
      running.push({ root, leave });
      judge(root);
    } catch {
      counts.refused += 1;
    } finally {
      clearImmediate(given);
    }
  };
  add({ id: 's0', parentId: null, tree: null }, 's0', 0);
  for (let step = 0; step < 24; step += 1) {
    const one = members[upTo(members.length)]?.id ?? 's0';
    const what = random();
    if (what < 0.15) {
      const id = `s${members.length}`;
      const isOld = random() < 0.3;
      const place = placeInTree(one, members);
      // A fork from before trees were counted names only its parent.
      add(
        { id, parentId: one, tree: isOld && place.depth === 0 ? null : place },
        trueRoot.get(one) ?? one,
        trueDepth.get(one) ?? 0,
      );
    } else if (what < 0.25) {
      for (const { leave } of running) leave();
      running = [];
      admission = createChildAdmission({ members: async () => [...members], caps: () => caps });
    } else if (what < 0.45) {
      const [ended] = running.splice(upTo(running.length), 1);
      ended?.leave();
    } else if (what < 0.5) {
      add({ id: `s${members.length}`, parentId: null, tree: null }, `s${members.length}`, 0);
    } else if (what < 0.8) {
      await Promise.all(Array.from({ length: 1 + upTo(3) }, () => spawn(one, true)));
    } else {
      await spawn(one, false);
    }
  }
  return counts;
}
