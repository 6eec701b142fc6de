import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { FenceHit } from '@shared/safety/fences.ts';
import type { DroppedGrants, GrantKind } from '@shared/safety/approval-grants.ts';
import { approvalKinds, isImportedHistory } from '@shared/safety/approval-grants.ts';

/** A question to the user of this session. */
export interface SessionQuestion extends Pick<EventOf<'approval-requested'>, 'kind' | 'sha256'> {
  /** The hosts, for a command that asks for a network; null for anything else. */
  readonly hosts: readonly string[] | null;
  /** What a lasting yes to a tool covers; null for anything else. */
  readonly grant: string | null;
  /** The fenced content that the question is about. */
  readonly fenced: readonly FenceHit[];
  /** Null: not answered yet. */
  readonly said: Pick<EventOf<'approval-answered'>, 'answer' | 'by' | 'scope' | 'at'> | null;
}

/** A fold of a session's log. */
export interface SessionAnswers {
  readonly add: (event: SessionEvent) => void;
  /** In the order in which they were asked. */
  readonly all: () => readonly SessionQuestion[];
  /** The number of the user's approvals so far, by kind. */
  readonly grants: () => DroppedGrants;
}

/**
 * The questions of a session and the user's answers to them. This is the only place where a log is read as the user's
 * word; a test enforces that. An imported history can hold any approval. So an import clears everything, and approvals
 * must be given again.
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
          const { kind, sha256, hosts = null, grant = null } = event;
          asked.set(event.approvalId, {
            kind,
            sha256,
            hosts,
            grant,
            fenced: kind === 'fence' ? fenced : [],
            said: null,
          });
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

/** Whether the user approved it. An answer by a rule, by an option of the run or by nobody does not count. */
export function isGranted({ said }: SessionQuestion): boolean {
  return said?.by === 'person' && said.answer === 'allow';
}

/** The tools that the user allowed for the whole session, by what the yes covers. */
export function sessionGrants(answers: SessionAnswers): ReadonlySet<string> {
  const lasting = answers.all().filter((one) => isGranted(one) && one.said?.scope === 'session');
  return new Set(lasting.flatMap(({ grant }) => grant ?? []));
}

export function isRefused({ said }: SessionQuestion): boolean {
  return said?.by === 'person' && said.answer === 'deny';
}

function countGrants(asked: Iterable<SessionQuestion>, raisedCaps: number): DroppedGrants {
  const counts = new Map<GrantKind, number>(raisedCaps === 0 ? [] : [['cap', raisedCaps]]);
  for (const question of asked) {
    // An answer to a question of the agent permits nothing, and a line is kept once and for all.
    if (question.kind === 'question' || question.kind === 'memory' || !isGranted(question)) continue;
    const kind = approvalKinds.find((known) => known === question.kind) ?? 'other';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
