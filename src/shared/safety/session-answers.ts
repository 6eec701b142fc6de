import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { FenceHit } from './fences.ts';
import type { DroppedGrants, GrantKind } from './approval-grants.ts';
import { approvalKinds, isImportedHistory } from './approval-grants.ts';

/** A question to the person of this session. */
export interface SessionQuestion extends Pick<EventOf<'approval-requested'>, 'kind' | 'sha256'> {
  /** Of a command that asks for a network; null: of anything else. */
  readonly hosts: readonly string[] | null;
  /** What a fence asked about. */
  readonly fenced: readonly FenceHit[];
  /** Null: nothing was said yet. */
  readonly said: Pick<EventOf<'approval-answered'>, 'answer' | 'by' | 'scope' | 'at'> | null;
}

/** A fold of a session's log. */
export interface SessionAnswers {
  readonly add: (event: SessionEvent) => void;
  /** In the order in which they were asked. */
  readonly all: () => readonly SessionQuestion[];
  /** How many yeses of a person there are by now. */
  readonly grants: () => DroppedGrants;
}

/**
 * What was asked in a session and what was said to it, as far as it was here: the one place where a log is read as the
 * word of its person (a test holds everybody to it). A history out of a file can hold any yes. So with an import all of
 * it begins from nothing, and what is to count later has to be said again.
 */
export function createSessionAnswers(): SessionAnswers {
  const asked = new Map<string, SessionQuestion>();
  let fenced: readonly FenceHit[] = [];
  let raisedCaps = 0;
  return {
    all: () => [...asked.values()],
    grants: () => countGrants(asked.values(), raisedCaps),
    add: (event) => {
      switch (event.type) {
        case 'history-copied':
          if (!isImportedHistory(event)) return;
          asked.clear();
          fenced = [];
          raisedCaps = 0;
          return;
        case 'call-fenced':
          fenced = event.outcome === 'asked' ? event.hits : [];
          return;
        case 'approval-requested': {
          const { kind, sha256, hosts = null } = event;
          asked.set(event.approvalId, { kind, sha256, hosts, fenced: kind === 'fence' ? fenced : [], said: null });
          return;
        }
        case 'approval-answered': {
          const question = asked.get(event.approvalId);
          const { answer, by, scope, at } = event;
          if (question !== undefined) asked.set(event.approvalId, { ...question, said: { answer, by, scope, at } });
          return;
        }
        case 'cap-answered':
          if (event.by === 'person' && event.answer === 'raise') raisedCaps += 1;
          return;
        default:
      }
    },
  };
}

/** Whether the person has said yes; a rule, an option of the run or nobody at all is no person. */
export function isGranted({ said }: SessionQuestion): boolean {
  return said?.by === 'person' && said.answer === 'allow';
}

export function isRefused({ said }: SessionQuestion): boolean {
  return said?.by === 'person' && said.answer === 'deny';
}

function countGrants(asked: Iterable<SessionQuestion>, raisedCaps: number): DroppedGrants {
  const counts = new Map<GrantKind, number>(raisedCaps === 0 ? [] : [['cap', raisedCaps]]);
  for (const question of asked) {
    if (!isGranted(question)) continue;
    const kind = approvalKinds.find((known) => known === question.kind) ?? 'other';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
