import { describe, expect, it } from 'vitest';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import { call, createAgentKit, ofType, turnOptions, type AgentKit } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const replies = [call('run_command', { command: 'make' }), call('run_command', { command: 'make' }), { text: 'Made.' }];

/** A session whose sandbox is lost in every command. With `comesBack` it returns before the command is given up. */
async function lostIn(comesBack: boolean, recipes: readonly ReturnType<typeof defineRecipe>[] = []): Promise<AgentKit> {
  const kit: AgentKit = createAgentKit({
    replies,
    recipes,
    sandbox: {
      files: { 'a.py': 'x = 1\n' },
      exec: () => {
        const losses = comesBack ? [false, true] : [false];
        for (const recreated of losses) {
          void kit.journal.append({ type: 'sandbox-lost', reason: 'the engine was not back', recreated });
        }
        return { outcome: 'lost', exitCode: null };
      },
    },
  });
  const { tier, image } = { tier: 'container', image: null } as const;
  await kit.journal.append({ type: 'sandbox-started', tier, image, description: '', limits: {} });
  return kit;
}

describe('a sandbox that stops during a turn', () => {
  it('ends the turn with its own reason, before the model tries on', async () => {
    const kit = await lostIn(false);
    const end = await kit.runner.send('Run make.', turnOptions);
    expect(end).toMatchObject({
      reason: 'sandbox-lost',
      text: 'The sandbox is gone: the engine was not back. Everything up to here is kept.',
      failure: { code: 'sandbox-lost', hint: expect.stringContaining('"continue"') },
    });
    expect(kit.requests).toHaveLength(1);
    await expectReplay(kit);
  });

  it('and comes back in time does not end the turn', async () => {
    const kit = await lostIn(true);
    const end = await kit.runner.send('Run make.', turnOptions);
    expect(end.reason).not.toBe('sandbox-lost');
    expect(kit.requests.length).toBeGreaterThan(1);
    await expectReplay(kit);
  });

  it('is not counted as a failure of the recipe that worked in it', async () => {
    const recipe = defineRecipe({
      id: 'make',
      label: 'Make',
      fits: () => ({ score: 1, reason: 'it is asked for' }),
      run: async ({ world }) => {
        await world.run({ command: 'make', label: 'make', timeoutMs: 1000 });
        return { type: 'gave-up', reason: 'It was not made.', facts: '' };
      },
    });
    const kit = await lostIn(false, [recipe]);
    const end = await kit.runner.send('Run make.', { ...turnOptions, strategy: 'recipe' });
    expect(end.reason).toBe('sandbox-lost');
    expect(ofType(kit.journal.events, 'notice-added')).toEqual([]);
    await expectReplay(kit);
  });
});
