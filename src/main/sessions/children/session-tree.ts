import type { TreePlace } from '@shared/session/agent-tree.ts';
import { mostDepth } from '@shared/session/agent-tree.ts';

/** A session as it counts in the tree: where it comes from, by its log. */
export interface TreeMember {
  readonly id: string;
  /** Only for a fork: the session that it was forked from. */
  readonly parentId: string | null;
  readonly tree: TreePlace | null;
}

/**
 * The place of a session in its tree. A fork belongs to the tree of its parent, at the same depth, so that a fork
 * brings no new allowance. Old forks have no recorded place, so their parents are followed.
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

/** The number of children that were started anywhere in a tree. */
function childrenOf(rootId: string, members: readonly TreeMember[]): number {
  return members.filter(({ tree }) => tree?.by !== undefined && tree.rootId === rootId).length;
}

/** Why no further child may be started in the tree of a session. Null: one may. */
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
