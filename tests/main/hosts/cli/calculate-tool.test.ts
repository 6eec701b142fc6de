import { describe, expect, it } from 'vitest';
import { tools } from '../../../../src/main/hosts/cli/commands/tools.command.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

describe('dewpoint tools for calculate', () => {
  const kept: Record<string, unknown> = {};
  const core = createScriptedCore();
  core.replace({
    tools: { list: () => [] },
    ownTools: { list: () => ({ folders: [], tools: [], problems: [] }) },
    web: { list: () => [] },
    settings: {
      get: ({ input: { key } }) => kept[String(key)] ?? false,
      set: ({ input: { key, value } }) => {
        kept[String(key)] = value;
        return value;
      },
    },
  });

  it('switches it on and off, and lists which it is', async () => {
    for (const [action, state] of [
      ['on', 'on'],
      ['list', 'on'],
      ['off', 'off'],
    ] as const) {
      const { context, said } = commandContext(core);
      expect(await tools(context, action, action === 'list' ? [] : ['calculate'], {})).toBe(0);
      expect(said.out).toMatch(new RegExp(`^calculate +${state} `, 'mu'));
    }
    expect(kept).toEqual({ calculate: false });
  });

  it('has nothing to test', async () => {
    const { context } = commandContext(core);
    await expect(tools(context, 'test', ['calculate'], {})).rejects.toMatchObject({ code: 'usage' });
  });
});
