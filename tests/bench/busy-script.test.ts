import { describe, expect, it } from 'vitest';
import { createBusyScript } from '../../bench/lib/busy-script.ts';
import { discoverTools } from '../../src/main/tools/registry.ts';

const { files, replies, calls } = createBusyScript();
const asked = replies.flatMap(({ toolCalls }) => toolCalls ?? []);

describe('the script of the busy session', () => {
  it('makes about sixty calls with valid inputs, and then ends', () => {
    const tools = discoverTools();
    expect(asked.filter(({ name, input }) => tools.get(name)?.input.safeParse(input).success !== true)).toEqual([]);
    expect(calls).toBeGreaterThanOrEqual(60);
    expect(asked.length).toBe(calls + 1);
    expect(asked.at(-1)?.name).toBe('task_complete');
  });

  it('never repeats a request in a row or in alternate turns', () => {
    const texts = asked.map((call) => JSON.stringify(call));
    expect(texts.filter((text, index) => text === texts[index - 1] || text === texts[index - 2])).toEqual([]);
  });

  it('works on a project with tests', () => {
    expect(Object.keys(files)).toContain('test_shop.py');
  });
});
