import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool, ToolResult } from '../../src/main/tools/define.ts';
import type { AgentKit, KitOptions } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';

const builtIn = builtInTools(discoverTools(), { now: () => 0 });

function oddTool(run: Tool['run'], access: Tool['access'] = 'read'): Tool {
  return { name: 'odd', description: 'Odd.', access, input: z.object({}).loose(), label: () => 'odd', run };
}

// The result of a connected tool may break Dewpoint's types. The cast lets a test return such a result.
const lie = (value: unknown): Promise<ToolResult> => Promise.resolve(value as ToolResult);

async function runOdd(tool: Tool, options: KitOptions = {}): Promise<AgentKit> {
  const kit = createAgentKit({
    replies: [
      call('odd', { text: 'go' }),
      call('read_file', { path: 'a.py' }),
      call('task_complete', { summary: 'ok' }),
    ],
    tools: [...builtIn, tool],
    ...options,
  });
  const end = await kit.runner.send('Do the work.', turnOptions);
  expect(end).toMatchObject({ reason: 'answered', text: 'ok' });
  return kit;
}

const firstEnd = (kit: AgentKit): ReturnType<typeof ofType<'tool-ended'>>[number] | undefined =>
  ofType(kit.journal.events, 'tool-ended').find((event) => event.tool === 'odd');

describe('a tool that misbehaves', () => {
  it('is reported as an error when it throws', async () => {
    const kit = await runOdd(oddTool(() => Promise.reject(new Error('no such luck'))));
    expect(firstEnd(kit)).toMatchObject({ status: 'error', output: 'odd failed: no such luck' });
  });

  it('is reported as an error when it throws before it returns a promise', async () => {
    const kit = await runOdd(
      oddTool(() => {
        throw new Error('at once');
      }),
    );
    expect(firstEnd(kit)).toMatchObject({ status: 'error' });
  });

  it('is shown by its name when its label throws', async () => {
    const tool = oddTool(() => lie({ status: 'ok', output: 'fine' }));
    const kit = await runOdd({
      ...tool,
      label: () => {
        throw new Error('label');
      },
    });
    expect(ofType(kit.journal.events, 'tool-started').find((event) => event.tool === 'odd')?.label).toBe('odd');
  });

  it('is timed out when it hangs and ignores the abort', async () => {
    const kit = await runOdd(
      oddTool(() => new Promise(() => undefined)),
      { config: { toolTimeoutMs: 50 } },
    );
    expect(firstEnd(kit)).toMatchObject({ status: 'timed-out' });
  });

  it.each([
    ['nothing', undefined],
    ['a string', 'done!'],
    ['another status', { status: 'great', output: 'done' }],
    ['output that is no text', { status: 'ok', output: { done: true } }],
    ['a list', []],
  ])('is reported as an error when it returns %s', async (_what, value) => {
    const kit = await runOdd(oddTool(() => lie(value)));
    expect(firstEnd(kit)).toMatchObject({ status: 'error', output: expect.stringContaining('is not known') });
  });

  it('may return data that is not JSON, which is dropped', async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const kit = await runOdd(oddTool(() => lie({ status: 'ok', output: 'fine', data: loop })));
    expect(firstEnd(kit)).toMatchObject({ status: 'ok', data: null });
  });

  it('is corrected when it claims a write that did not happen', async () => {
    const kit = await runOdd(oddTool(() => lie({ status: 'ok', output: 'Wrote a.py.' }), 'write'));
    expect(firstEnd(kit)?.output).toContain('No file was changed');
  });

  it('may return 50 MB, of which the model sees the beginning and the end', async () => {
    const output = `first line\n${'x'.repeat(50 * 1024 * 1024)}\nlast line`;
    const kit = await runOdd(oddTool(() => lie({ status: 'ok', output })));
    const ended = firstEnd(kit);
    expect(Buffer.byteLength(ended?.output ?? '')).toBeLessThan(34 * 1024);
    expect(ended?.output.startsWith('first line')).toBe(true);
    expect(ended?.output.endsWith('last line')).toBe(true);
    expect(ended?.full?.bytes).toBe(Buffer.byteLength(output));
  });

  it('may print 50 MB, all of which is kept and little of which is pushed', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'y');
    const kit = await runOdd(
      oddTool(async (_input, context) => {
        for (let count = 0; count < 50; count += 1) context.emit('stdout', chunk);
        return { status: 'ok', output: 'exit code 0' };
      }),
    );
    expect(firstEnd(kit)).toMatchObject({ output: 'exit code 0', full: { bytes: 50 * 1024 * 1024 } });
    const pushed = kit.journal.transients.filter((transient) => transient.type === 'output-chunk');
    expect(pushed.reduce((sum, item) => sum + (item.type === 'output-chunk' ? item.text.length : 0), 0)).toBeLessThan(
      6 * 1024 * 1024,
    );
  });

  it('is shown shorter to a small model when its output is long', async () => {
    const output = 'z'.repeat(100_000);
    const kit = await runOdd(
      oddTool(() => lie({ status: 'ok', output })),
      { model: { contextTokens: 4096 } },
    );
    expect(Buffer.byteLength(firstEnd(kit)?.output ?? '')).toBeLessThan(4400);
  });
});
