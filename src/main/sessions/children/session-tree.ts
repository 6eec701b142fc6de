import type { TreePlace } from '@shared/session/agent-tree.ts';
import { mostDepth } from '@shared/session/agent-tree.ts';

/** A session as the tree counts it: what its log says of where it comes from. */
export interface TreeMember {
  readonly id: string;
  /** Of a fork: the session that it was forked from. */
  readonly parentId: string | null;
  readonly tree: TreePlace | null;
}

/**
 * The tree of a session. A fork belongs to the tree of what it was forked from, as deep as that: a new session is no
 * new allowance. Forks from before trees were counted have no place of their own, and are followed up.
 */
export function placeInTree(sessionId: string, members: readonly TreeMember[]): Pick<TreePlace, 'rootId' | 'depth'> {
  const byId = new Map(members.map((member) => [member.id, member]));
  const seen = new Set<string>();
  let at = sessionId;
  for (;;) {
    const member = byId.get(at);
    if (member?.tree) return { rootId: member.tree.rootId, depth: member.tree.depth };
    const up = member?.parentId ?? null;
    if (up === null || seen.has(up)) return { rootId: at, depth: 0 };
    seen.add(up);
    at = up;
  }
}

/** How many children a tree has, wherever in it they were started. */
function childrenOf(rootId: string, members: readonly TreeMember[]): number {
  return members.filter(({ tree }) => tree?.by !== undefined && tree.rootId === rootId).length;
}

/** Why no further child may be started in the tree of a session; null: one may. */
export function whyNoChild(
  sessionId: string,
  { members, most }: { readonly members: readonly TreeMember[]; readonly most: number },
): string | null {
  const { rootId, depth } = placeInTree(sessionId, members);
  if (depth >= mostDepth) return 'An agent that was started by another one starts none itself.';
  const count = childrenOf(rootId, members);
  if (count >= most) {
    return `This session and its forks have had their ${most} agents. The user can raise "agents.most" in the settings.`;
  }
  return null;
}
