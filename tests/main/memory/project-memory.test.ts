import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/shared/events/events.ts';
import type { MemoryProposalMode } from '../../../src/shared/projects/memory-proposal.ts';
import { createMemoryFiles } from '../../../src/main/memory/memory-files.ts';
import { createProjectMemory } from '../../../src/main/memory/project-memory.ts';

const started = (tool: string, more: object = {}): NewEvent => ({
  type: 'tool-started',
  toolCallId: 'a',
  tool,
  by: 'model',
  input: {},
  label: tool,
  ...more,
});
const used = (isAllowed: boolean, receivedBytes: number): NewEvent => ({
  type: 'network-used',
  toolCallId: 'a',
  host: 'example.org',
  port: 443,
  isAllowed,
  reason: 'listed',
  address: null,
  count: 1,
  sentBytes: 10,
  receivedBytes,
});

describe('the memory of a session', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-memory-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const memoryOf = (
    { projectPath = '/work/a', mode = 'auto' }: { projectPath?: string | null; mode?: MemoryProposalMode } = {},
    events: readonly NewEvent[] = [],
  ) => {
    const changes: unknown[] = [];
    const memory = createProjectMemory({
      files: createMemoryFiles(folder),
      projectPath,
      sessionId: 's-1',
      mode: () => mode,
      setup: {
        change: async (path, change) => {
          changes.push([path, change]);
          return Promise.reject(new Error('Nothing is shown here.'));
        },
      },
      read: async function* () {
        for (const [at, event] of events.entries()) yield { v: 1, seq: at + 1, at: 0, ...event };
      },
      webTools: ['web_read'],
      now: () => Date.UTC(2026, 10, 29),
    });
    return { memory, changes };
  };

  it('keeps a line with its date and its session, for the project or for the user', async () => {
    const { memory } = memoryOf();
    await memory.keep({ text: 'Fixtures lie in spec/.', place: 'project', isAfterOutside: true });
    await memory.keep({ text: 'Be short.', place: 'you', isAfterOutside: false });
    expect(await memory.lines()).toMatchObject([
      { of: 'you', text: 'Be short.', date: '2026-11-29', sessionId: 's-1', isAfterOutside: false },
      { of: 'project', text: 'Fixtures lie in spec/.', date: '2026-11-29', sessionId: 's-1', isAfterOutside: true },
    ]);
  });

  it('keeps a test command in the settings of the project, not as a line', async () => {
    const { memory, changes } = memoryOf();
    await memory.keep({ text: 'make check', place: 'settings', isAfterOutside: false }).catch(() => undefined);
    expect(changes).toEqual([['/work/a', { type: 'test-command', command: 'make check' }]]);
    expect(await memory.lines()).toEqual([]);
  });

  it('takes proposals where there is a line already, or where the user wants them everywhere', async () => {
    await memoryOf().memory.keep({ text: 'Be short.', place: 'you', isAfterOutside: false });
    const lines = await memoryOf().memory.lines();
    const takes = (mode: MemoryProposalMode, has: boolean, projectPath: string | null = '/work/a') =>
      memoryOf({ mode, projectPath }).memory.takesProposals(has ? lines : []);
    expect([takes('auto', true), takes('auto', false), takes('on', false), takes('off', true)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(takes('on', true, null)).toBe(false);
  });

  it.each<readonly [string, readonly NewEvent[], boolean]>([
    ['nothing', [], false],
    ['files of the project', [started('read_file'), used(false, 0), used(true, 0)], false],
    ['a web page', [started('web_read')], true],
    ['a tool server', [started('find', { connected: { server: 's', leaves: true, readsFiles: false } })], true],
    ['a download of a command', [started('run_command'), used(true, 900)], true],
  ])('knows whether the session has read text from outside: %s', async (_what, events, expected) => {
    expect(await memoryOf({}, events).memory.hasReadOutside()).toBe(expected);
  });
});
