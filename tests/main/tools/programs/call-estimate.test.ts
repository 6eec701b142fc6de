import { expect, it } from 'vitest';
import { z } from 'zod';
import { estimateRows } from '../../../../src/main/tools/programs/call-estimate.ts';
import type { Tool } from '../../../../src/main/tools/define.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: '',
  access: 'read',
  input: z.object({}),
  label: () => name,
  run: async () => ({ status: 'ok', output: '' }),
  ...more,
});
const shop = tool('shop__order', {
  access: 'network',
  connected: {
    name: 'shop__order',
    server: 'shop',
    tool: 'order',
    description: '',
    inputSchema: { type: 'object' },
    leaves: true,
    readsFiles: false,
  },
});
const entry = (one: Tool, most: number, hosts: readonly string[] = []) => ({ tool: one, most, hosts });

// Catches: a program that makes 40 slow calls and is asked about as if they were quick.
it("the estimate of a program's calls is their median time by the highest number of calls", () => {
  const earlier = new Map([['shop__order', { ms: [3_000, 2_000, 90_000], modelUsd: 0.01 }]]);
  expect(estimateRows([entry(shop, 40)], earlier, 60_000)).toEqual([
    'What its calls would take, by earlier calls of this session:',
    '- shop__order, of shop: at most 40, 3.0 s each (3 earlier), 2 min in all. Money: $0.4000 for models that its server asks, else unknown.',
    'All calls: at most 40, 2 min one after the other. Money: at least $0.4000, else unknown.',
    'The program is stopped after 1 min.',
  ]);
});

// Catches: a figure of 0 where nothing is known.
it("the estimate of a program's calls is unknown without a record, and never 0", () => {
  const rows = estimateRows(
    [entry(shop, 2), entry(tool('web_read', { access: 'web', needs: 'web' }), 1)],
    new Map(),
    5_000,
  );
  expect(rows.slice(1, 4)).toEqual([
    '- shop__order, of shop: at most 2, time unknown. Money: unknown.',
    '- web_read, reaches the web: at most 1, time unknown. Money: unknown.',
    'All calls: at most 3, time unknown. Money: unknown.',
  ]);
  const quick = new Map([['shop__order', { ms: [4], modelUsd: null }]]);
  expect(estimateRows([entry(shop, 2)], quick, 5_000)[1]).toContain('under 0.1 s each (1 earlier), under 0.1 s in all');
});

it("the estimate of a program's calls names each kind, and adds up the known ones", () => {
  const reads = tool('read_file');
  const runs = tool('run_command', { access: 'execute' });
  const writes = tool('write_file', { access: 'write' });
  const earlier = new Map([['read_file', { ms: [100], modelUsd: null }]]);
  const entries = [entry(reads, 10), entry(runs, 1, ['example.org']), entry(writes, 2)];
  expect(estimateRows(entries, earlier, 120_000).slice(1)).toEqual([
    '- read_file, reads: at most 10, 0.1 s each (1 earlier), 1.0 s in all. Money: none.',
    '- run_command, runs commands: at most 1, time unknown. Money: unknown.',
    '- write_file, changes files: at most 2, time unknown. Money: none.',
    'All calls: at most 13, 1.0 s one after the other and an unknown time for the others. Money: unknown.',
    'The program is stopped after 2 min.',
  ]);
  expect(estimateRows([entry(reads, 1)], new Map(), 5_000)[2]).toContain('Money: none.');
});

it("the estimate of a program's calls stays short for many announced tools", () => {
  const many = Array.from({ length: 30 }, (_, at) => entry(tool(`tool_${at}`), 1));
  const rows = estimateRows(many, new Map(), 5_000);
  expect(rows).toHaveLength(16);
  expect(rows).toContain('- and 18 more tools');
});
