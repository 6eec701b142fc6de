import { describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import { createTrajectory } from '../../../../src/main/routing/trajectory/trajectory.ts';
import { createFindTools } from '../../../../src/main/tools/connected/find-tools.ts';
import type { ToolContext, ToolDependencies } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

/** What the tools ask, with nothing in it: one file that nobody looks for, and services that know nothing. */
const places = {
  server: 'tsserver',
  isComplete: true,
  places: [],
  more: 0,
  outside: 0,
  otherLines: { files: [], hasMore: false },
};
const dependencies = {
  now: () => 0,
  searchDocuments: async () => success({ chunks: [], documents: 3, left: 1, by: { type: 'meaning', done: 1, of: 1 } }),
  languageServers: () => ({ questions: { places: async () => success(places) } }),
  web: { searchService: async () => success({ service: 'brave', address: null, key: 'k' }) },
} as unknown as ToolDependencies;
const context = {
  sandbox: createMemorySandbox({ files: { 'src/a.ts': 'const a = 1;\n' } }),
  signal: new AbortController().signal,
  keptResult: async () => 'first\nsecond\n',
  facts: {
    symbols: {
      find: async () => success({ definitions: [], references: [], moreDefinitions: 0, hasMoreReferences: false }),
    },
  },
  requestWeb: async () => {
    const bytes = new TextEncoder().encode('{"web":{"results":[]}}');
    return success({ url: 'https://s.example/', status: 200, isCut: false, headers: {}, bytes });
  },
} as unknown as ToolContext;
const tools = [...builtInTools(discoverTools(), dependencies), ...createFindTools([])];

interface Result {
  readonly status: string;
  readonly output: string;
  readonly data?: unknown;
}

async function ran(name: string, input: unknown): Promise<Result> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.run(input, context);
}

/** How many empty searches a turn has after one call with this result. */
function countOf(tool: string, { status, output, data = null }: Result): number {
  const { add, now } = createTrajectory();
  const call = { v: 2, seq: 1, at: 0, turnId: 't', callId: 'c', toolCallId: 'x', tool } as const;
  add({ ...call, type: 'tool-call-requested', input: {}, style: 'native', repairs: [] } as unknown as SessionEvent);
  const end = { status, output, data, full: null, dataBlob: null, exitCode: null, durationMs: 1 };
  add({ ...call, type: 'tool-ended', ...end } as unknown as SessionEvent);
  return now().counts.emptyResults;
}

describe('a search that found nothing', () => {
  // Bug: half of the searches were missed, because their words were not the ones that were looked for.
  it.each([
    ['search', { pattern: 'nowhere' }],
    ['search', { pattern: '(' }],
    ['search', { pattern: 'third', path: 'result:c1' }],
    ['read_result', { search: 'third' }],
    ['list_files', { glob: '*.py' }],
    ['search_documents', { words: 'rent' }],
    ['find_symbol', { name: 'Cart' }],
    ['symbol_info', { what: 'references', path: 'src/a.ts', name: 'b' }],
    ['symbol_info', { what: 'definition', path: 'src/a.ts', name: 'b' }],
    ['web_search', { query: 'x', why: 'y' }],
    ['find_tools', { query: 'x' }],
  ])('counts for %s with %j, by what the tool says', async (name, input) => {
    const result = await ran(name, input);
    expect(result).toMatchObject({ status: 'ok', output: expect.stringMatching(/\S/u) });
    expect(countOf(name, result)).toBe(1);
  });

  it.each([
    ['search', { pattern: 'const' }],
    ['search', { pattern: 'second', path: 'result:c1' }],
    ['read_result', { search: 'first' }],
    ['list_files', { glob: '*.ts' }],
  ])('does not count for %s with %j, which finds something', async (name, input) => {
    const result = await ran(name, input);
    expect(result.status).toBe('ok');
    expect(countOf(name, result)).toBe(0);
  });

  // Bug: a tool that switched something on and had nothing to say was a bad sign of 0.76 in log odds.
  it.each(['run_command', 'tracker__close_issue', 'my_own_tool', 'read_git', 'constructor'])(
    'is nothing that %s can be',
    (tool) => {
      for (const output of ['', '[]', 'No match.', 'Nothing was found.', 'No difference.'])
        expect(countOf(tool, { status: 'ok', output, data: { matches: [] } })).toBe(0);
    },
  );
});
