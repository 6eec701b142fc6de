import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import type { SentLine } from '../../../../src/main/lib/net/sent-line.ts';
import type { Receipt } from '../../../../src/shared/safety/receipt.ts';
import {
  makeReceipt,
  type ReceiptAsked,
  type ReceiptOptions,
} from '../../../../src/main/safety/receipt/make-receipt.ts';

const project = '/work/project';
const sessionId = '20261105-100000-aaaaaaaa';
const [october, november, december] = [9, 10, 11].map((month) => new Date(2026, month, 5, 10).getTime()) as [
  number,
  number,
  number,
];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-receipt-'));
  await writeFile(join(folder, 'since'), String(new Date(2026, 0, 1).getTime()));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The tool server `notes` is used once in November. */
const usesNotes: readonly SessionEvent[] = [
  {
    v: 1,
    seq: 1,
    at: november,
    type: 'tool-started',
    toolCallId: 'c1',
    tool: 'notes__add',
    by: 'model',
    input: {},
    label: 'Adds a note',
    connected: { server: 'notes', leaves: true, readsFiles: false },
  },
];
const usesNone: readonly SessionEvent[] = [{ v: 1, seq: 1, at: november, type: 'session-renamed', title: 'Notes' }];

type Store = ReceiptOptions['stores'][number];

function storeWith(events: readonly SessionEvent[]): Store {
  const listed = { id: sessionId, title: 'Notes', projectPath: project, createdAt: november, lastAt: november };
  return {
    list: async () => [listed],
    members: async () => [],
    view: async () => ({
      read: async function* read() {
        yield* events;
      },
    }),
  } as unknown as Store;
}

async function record(lines: readonly Partial<SentLine>[]): Promise<void> {
  const whole = lines.map((line) => ({
    at: november,
    id: 1,
    state: 'closed',
    host: 'notes.example.org',
    port: 443,
    isHere: false,
    out: 0,
    in: 0,
    why: { server: 'notes' },
    ...line,
  }));
  for (const line of whole) {
    const name = `${new Date(line.at).toISOString().slice(0, 7)}-999999999-0123abcd.jsonl`;
    await writeFile(join(folder, name), `${JSON.stringify(line)}\n`, { flag: 'a' });
  }
}

function receiptOf(asked: ReceiptAsked, store: Store): Promise<Receipt> {
  const options: ReceiptOptions = {
    folder,
    stores: [store],
    blobs: { get: async () => null },
    version: '1',
    now: () => december,
    settle: () => undefined,
  };
  return makeReceipt(options, asked, new AbortController().signal);
}

const ofAll: readonly ReceiptAsked[] = [
  { type: 'session', sessionId },
  { type: 'project', project },
  { type: 'month', month: '2026-11' },
];

/** Catches: a signed word that nothing left, while a tool server that the session used sends by itself. */
describe('a receipt of a session, a project or a month', () => {
  it.each(ofAll)('names a tool server of its own network that was started long before ($type)', async (asked) => {
    await record([{ at: october, state: 'unseen', host: 'notes-server' }]);
    const used = await receiptOf(asked, storeWith(usesNotes));
    expect(used).toMatchObject({ verdict: 'not-all', uncounted: [{ name: 'notes-server', count: 1 }] });
    const unused = await receiptOf(asked, storeWith(usesNone));
    expect(unused).toMatchObject({ verdict: 'nothing', uncounted: [] });
  });

  it.each(ofAll.slice(0, 2))('shows what its tool server sent for all sessions ($type)', async (asked) => {
    await record([{ at: november + 1_000, out: 700 }]);
    const made = await receiptOf(asked, storeWith(usesNotes));
    expect(made).toMatchObject({ verdict: 'counted', rows: [], shared: [{ host: 'notes.example.org', out: 700 }] });
  });

  it.each(ofAll)('never says that nothing left if its log is damaged ($type)', async (asked) => {
    const made = await receiptOf(asked, storeWith(usesNotes.map((event) => ({ ...event, seq: event.seq + 1 }))));
    expect(made).toMatchObject({ verdict: 'not-all', rows: [], record: { unreadLogs: 1 } });
  });

  it.each(ofAll)('counts every tool server as used by a log that cannot be read at all ($type)', async (asked) => {
    await record([{ at: october, state: 'unseen', host: 'other-server', why: { server: 'other' } }]);
    const broken = {
      ...storeWith([]),
      view: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
    };
    const made = await receiptOf(asked, broken);
    expect(made).toMatchObject({
      verdict: 'not-all',
      uncounted: [{ name: 'other-server' }],
      record: { unreadLogs: 1 },
    });
  });

  it('goes on after a file of its record that cannot be read', async () => {
    await record([{ out: 30, why: { sessionId } }]);
    await mkdir(join(folder, '2026-11-17-0123abcd.jsonl'));
    const made = await receiptOf({ type: 'session', sessionId }, storeWith(usesNotes));
    expect(made).toMatchObject({ verdict: 'not-all', out: 30, record: { unreadable: 1 } });
  });
});
