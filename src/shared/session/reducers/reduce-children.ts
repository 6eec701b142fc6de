import type { EventOf } from '@shared/events/events.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { firstLine, lastItems, shortenText, textLimit } from '@shared/text/shorten-text.ts';

/** The most children in the state; the log has all. */
const keptChildren = 200;

type ChildEvent = EventOf<'child-session-started' | 'child-session-ended'>;

/** A child that goes on stays the same child, and its cost is the sum of its runs. */
export function reduceChildren(state: SessionState, event: ChildEvent): Partial<SessionState> {
  const children = state.children ?? [];
  const known = children.find(({ sessionId }) => sessionId === event.sessionId);
  if (event.type === 'child-session-started') {
    const { name, task, access, kind, model, tools, maxUsd, maxSteps, at } = event;
    const working = { endedAt: null, reason: null, text: '' };
    if (known !== undefined) return replaced(children, { ...known, ...working });
    const begun: ChildState = {
      sessionId: event.sessionId,
      name,
      kind,
      model,
      tools,
      maxUsd,
      ...(maxSteps === undefined ? {} : { maxSteps }),
      task: firstLine(task),
      access,
      startedAt: at,
      costUsd: 0,
      changedFiles: 0,
      ...working,
    };
    return { children: lastItems([...children, begun], keptChildren) };
  }
  if (known === undefined) return {};
  const { costUsd, reason = null, text = '', changedFiles = 0 } = event;
  return replaced(children, {
    ...known,
    endedAt: event.at,
    reason,
    costUsd: costUsd === null || known.costUsd === null ? null : known.costUsd + costUsd,
    text: shortenText(text, textLimit),
    changedFiles,
  });
}

function replaced(children: readonly ChildState[], changed: ChildState): Partial<SessionState> {
  return { children: children.map((child) => (child.sessionId === changed.sessionId ? changed : child)) };
}
