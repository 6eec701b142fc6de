import { describe, expect, it } from 'vitest';
import type { EventType, NewEvent, SessionEvent } from '@shared/events/events.ts';
import { eventTypes } from '@shared/events/events.ts';
import type { FenceHit, FenceSources } from '@shared/safety/fences.ts';
import { compileFences } from '@shared/safety/fences.ts';
import type { GrantKind } from '@shared/safety/approval-grants.ts';
import { approvalKinds, droppedGrantsText } from '@shared/safety/approval-grants.ts';
import { createSessionAnswers } from '../../../src/main/safety/session-answers.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { createFenceTaint } from '../../../src/main/safety/taint.ts';
import { openLinks } from '../../../src/main/agent/preparation/resolve-hard-links.ts';
import { createNetworkLedger } from '../../../src/main/safety/network/network-ledger.ts';
import { createSessionInstructions } from '../../../src/main/safety/instructions/session-instructions.ts';

/** Catches: an approval in another person's log that counts as one of this home's user. */

type Asked = Extract<NewEvent, { type: 'approval-requested' }>;

const hit: FenceHit = { rule: 'ask before it leaves', verdict: 'ask', path: 'plans.md', how: 'content' };
const fenced: NewEvent = {
  type: 'call-fenced',
  model: 'm',
  outcome: 'asked',
  hits: [hit],
  text: '',
  step: 1,
  purpose: 'act',
  manifest: null,
};
const asked = (kind: string, more: Partial<Asked> = {}): NewEvent => {
  return { type: 'approval-requested', approvalId: kind, toolCallId: '', kind, subject: '', sha256: 'f', ...more };
};
const said = (kind: string, answer: 'allow' | 'deny' = 'allow'): NewEvent => {
  return { type: 'approval-answered', approvalId: kind, answer, by: 'person', scope: 'session' };
};
const imported: NewEvent = {
  type: 'history-copied',
  by: 'import',
  sessionId: 'of-another-home',
  upToSeq: 9,
  changes: 'settled',
};
const cutOut: NewEvent = { ...imported, by: 'fork', isForeign: true };
const forked: NewEvent = { ...imported, by: 'fork' };

const stamped = (events: readonly NewEvent[]): readonly SessionEvent[] =>
  events.map((event, index) => ({ ...event, v: 2, seq: index + 1, at: index }));
async function* stream(events: readonly NewEvent[]): AsyncGenerator<SessionEvent> {
  yield* stamped(events);
}

interface Row {
  /** An approval as it is in a log. */
  readonly yes: readonly NewEvent[];
  /** Whether a log with it counts as an approval. Null: it is valid only for its question and is never read later. */
  readonly counts: ((events: readonly NewEvent[]) => boolean | Promise<boolean>) | null;
}

/** A new kind of grant without a row here fails to compile. */
const rows: Readonly<Record<Exclude<GrantKind, 'other'>, Row>> = {
  network: {
    yes: [asked('network', { hosts: ['files.example.org'] }), said('network')],
    counts: (events) => {
      const ledger = createNetworkLedger();
      for (const event of stamped(events)) ledger.add(event);
      return ledger.granted().has('files.example.org');
    },
  },
  web: {
    yes: [asked('web', { hosts: ['files.example.org'] }), said('web')],
    counts: (events) => {
      const ledger = createNetworkLedger();
      for (const event of stamped(events)) ledger.add(event);
      return ledger.granted().has('files.example.org');
    },
  },
  fence: {
    yes: [fenced, asked('fence'), said('fence')],
    counts: (events) => {
      const settings: FenceSources = { rules: [], secrets: 'off' };
      const taint = createFenceTaint(compileFences({ settings, projectPath: null, isSecretFile: () => false }));
      for (const event of stamped(events)) taint.add(event);
      return taint.isAllowed(hit);
    },
  },
  // The approval itself is in the home, by the bytes. The log shows only whether they were asked about.
  instructions: {
    yes: [asked('instructions'), said('instructions')],
    counts: null,
  },
  'hard-links': {
    yes: [asked('hard-links'), said('hard-links')],
    counts: async (events) => {
      const links = { found: () => ({ subject: '', text: '', count: 2 }) };
      const turn = { dependencies: { journal: { read: () => stream(events) }, sandbox: { links } } };
      return (await Reflect.apply(openLinks, null, [turn])) === 0;
    },
  },
  'guarded-file': { yes: [asked('guarded-file'), said('guarded-file')], counts: null },
  disk: { yes: [asked('disk'), said('disk')], counts: null },
  'connected-tool': { yes: [asked('connected-tool'), said('connected-tool')], counts: null },
  program: { yes: [asked('program'), said('program')], counts: null },
  'server-form': { yes: [asked('server-form'), said('server-form')], counts: null },
  'server-link': { yes: [asked('server-link'), said('server-link')], counts: null },
  'server-model': { yes: [asked('server-model'), said('server-model')], counts: null },
  // The user signs in elsewhere. Whether an account is connected is asked of the service.
  connection: { yes: [asked('connection'), said('connection')], counts: null },
  question: { yes: [asked('question'), said('question')], counts: null },
  memory: { yes: [asked('memory'), said('memory')], counts: null },
  cap: {
    yes: [{ type: 'cap-answered', capId: 'c', answer: 'raise', raisedUsd: 5, by: 'person' }],
    counts: null,
  },
};

/** The part of each event in an approval. A new event type must be added here. */
const types: Readonly<Record<EventType, 'question' | 'answer' | 'none'>> = {
  'approval-requested': 'question',
  'approval-answered': 'answer',
  'cap-reached': 'question',
  'cap-answered': 'answer',
  'output-limited': 'none',
  'call-fenced': 'question',
  'session-created': 'none',
  'server-task-began': 'none',
  'server-task-settled': 'none',
  'untracked-found': 'none',
  'session-renamed': 'none',
  'session-organized': 'none',
  'session-moved': 'none',
  'folder-moved': 'none',
  'history-copied': 'none',
  'session-repaired': 'none',
  'user-message-added': 'none',
  'options-chosen': 'none',
  'message-delivered': 'none',
  'message-dropped': 'none',
  // The user sees these steps and sends them.
  'plan-edited': 'none',
  'turn-started': 'none',
  'check-ended': 'none',
  'gate-checked': 'none',
  'cache-prefilled': 'none',
  'stage-chosen': 'none',
  'route-decided': 'none',
  'engine-waited': 'none',
  'model-call-started': 'none',
  'model-call-ended': 'none',
  'tool-call-requested': 'none',
  'network-used': 'none',
  'tool-started': 'none',
  'tool-ended': 'none',
  'file-changed': 'none',
  // An import settles these, as it settles all changes.
  'changes-taken': 'none',
  'hunks-taken': 'none',
  'restore-began': 'none',
  'restore-ended': 'none',
  'recipe-progressed': 'none',
  'notice-added': 'none',
  'child-session-started': 'none',
  'child-session-ended': 'none',
  'turn-ended': 'none',
  'context-compacted': 'none',
  'observation-trimmed': 'none',
  'answer-trimmed': 'none',
  'terminal-opened': 'none',
  'terminal-closed': 'none',
  'instructions-found': 'none',
  'sandbox-started': 'none',
  'sandbox-lost': 'none',
  'service-changed': 'none',
  'plan-progressed': 'none',
};

describe('an answer in an imported history', () => {
  it('is checked for every type of event and every kind of question', () => {
    expect(Object.keys(types).sort()).toEqual([...eventTypes].sort());
    expect(Object.keys(rows).sort()).toEqual([...approvalKinds, 'cap'].sort());
    const used = new Set(Object.values(rows).flatMap(({ yes }) => yes.map(({ type }) => type)));
    const answers = eventTypes.filter((type) => Object.entries(types).some((one) => one.join() === `${type},answer`));
    expect(answers.filter((type) => ![...used].some((known) => known === type))).toEqual([]);
  });

  it.each(Object.entries(rows))('permits nothing: %s', async (kind, { yes, counts }) => {
    const grants = (events: readonly NewEvent[]) => {
      const answers = createSessionAnswers();
      for (const event of stamped(events)) answers.add(event);
      return answers.grants();
    };
    // An answer to a question of the agent permits nothing.
    expect(grants(yes)).toEqual(kind === 'question' || kind === 'memory' ? {} : { [kind]: 1 });
    // A mark in the imported file does not end the import, and a question from it cannot be answered here.
    const forms = [[imported], [cutOut], [forked, imported], [imported, forked]];
    for (const end of forms) expect(grants([...yes, ...end])).toEqual({});
    const [last] = yes.slice(-1);
    expect(grants([...yes.slice(0, -1), imported, ...(yes.length > 1 && last ? [last] : [])])).toEqual({});
    if (counts === null) return;
    for (const mine of [yes, [...yes, forked], [imported, ...yes]]) expect(await counts(mine)).toBe(true);
    for (const end of forms) expect(await counts([...yes, ...end])).toBe(false);
  });

  it('refuses nothing: instructions that the author refused are asked about again', async () => {
    const no = [asked('instructions'), said('instructions', 'deny')];
    const look = { sha256: 'f', state: 'new', text: '', diff: null, problem: null } as const;
    const refused = async (events: readonly NewEvent[]): Promise<boolean> => {
      const project = { check: async () => look, keep: async () => undefined };
      const instructions = createSessionInstructions({ project, folder: '/p', read: () => stream(events) });
      return (await instructions.check('AGENTS.md', Buffer.from(''))).isRefused;
    };
    expect([await refused(no), await refused([...no, imported])]).toEqual([true, false]);
  });

  it('leaves no question open, and the import says what was dropped', () => {
    const open = [asked('network', { hosts: ['a.example.org'] }), imported];
    expect(stamped(open).reduce(reduceSession, emptySession).approvals).toEqual([]);
    const told = stamped([{ ...imported, dropped: { network: 2, cap: 1, 'of-later': 3 } }]);
    expect(told.reduce(reduceSession, emptySession).notices.map(({ text }) => text)).toEqual([
      'This session was imported. Its approvals do not count here (2 for hosts, 1 for a higher spending limit, 3 for other things), so you are asked again.',
    ]);
    expect([droppedGrantsText({}), droppedGrantsText(undefined)]).toEqual([null, null]);
  });
});
