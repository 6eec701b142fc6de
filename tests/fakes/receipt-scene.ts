import type { Receipt, ReceiptRow } from '../../src/shared/safety/receipt.ts';

/** A host whose name looks like another: a letter of another script, and a character that turns the text around. */
const deceptiveHost = 'api.ex\u0430mple.com\u202Emoc';

const rowOf = (index: number): ReceiptRow => ({
  host: index === 0 ? deceptiveHost : `host-${index}.example.com`,
  port: 443,
  out: 1000 * (index + 1),
  in: 3000 * (index + 1),
  connections: 1 + (index % 3),
  firstAt: Date.UTC(2026, 10, 3),
  lastAt: Date.UTC(2026, 10, 4),
  perhapsMore: 0,
  sessionId: index % 2 === 0 ? 'one' : null,
  by: [
    { kind: 'model' as const, name: 'example/large-1' },
    { kind: 'tool' as const, name: 'read_page' },
    { kind: 'command' as const, name: '' },
  ][index % 3] ?? { kind: 'unknown', name: '' },
  why:
    index % 3 === 0
      ? ['The same edit was rejected twice; local has no new idea.', 'You approved it for this session']
      : ['You asked for it in a session'],
  files: index % 3 === 0 ? ['src/dates.py', 'tests/test_dates.py'] : index % 3 === 1 ? [] : null,
});

/** A receipt of a month with rows to as many hosts. */
export function receiptOf(hosts: number, more: Partial<Receipt> = {}): Receipt {
  const rows = Array.from({ length: hosts }, (_, index) => rowOf(index));
  return {
    format: 'dewpoint receipt 1',
    about: { type: 'month', month: '2026-11' },
    madeAt: '2026-11-30T10:00:00.000Z',
    timeZone: 'UTC',
    version: '1.0.0',
    verdict: hosts === 0 ? 'nothing' : 'counted',
    out: rows.reduce((all, { out }) => all + out, 0),
    in: rows.reduce((all, row) => all + row.in, 0),
    rows,
    shared: [],
    kept: [
      { kind: 'fence', count: 2, bytes: 18_400, what: 'local-only path customers/**', sessionId: 'one' },
      { kind: 'denied', count: 1, bytes: null, what: 'fetch https://collect.example.net/', sessionId: 'one' },
      { kind: 'local', count: 31, bytes: 902_000, what: 'Answered by Qwen2.5 Coder 1.5B Instruct', sessionId: 'one' },
    ],
    uncounted: [],
    here: { out: 902_000, in: 44_000 },
    record: { since: Date.UTC(2026, 9, 1), isPartial: false, unreadable: 0, unreadLogs: 0, unreadRequests: 0 },
    ...more,
  };
}
