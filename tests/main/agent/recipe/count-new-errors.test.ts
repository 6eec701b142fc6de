import { afterEach, describe, expect, it } from 'vitest';
import { defineRecipe, type RecipeWorld } from '../../../../src/main/recipes/define.ts';
import { createAgentKit, ofType, turnOptions, type AgentKit } from '../../../fakes/agent-kit.ts';
import { serverScene, type ServerScene } from '../../../fakes/language-server-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const none = new AbortController().signal;
const files = { 'money.py': 'def total(prices):\n    was wrong before\n', 'shop.py': 'total\n' };
let scene: ServerScene;
afterEach(() => scene.close());

/** What a recipe hears that asks so, once the server is ready or has failed. */
async function heard(
  ask: (world: RecipeWorld) => Promise<unknown>,
  { trouble = '', parts = ['language-server'] }: { trouble?: string; parts?: readonly 'language-server'[] } = {},
): Promise<{ readonly kit: AgentKit; readonly said: unknown }> {
  scene = serverScene(files, trouble);
  let said: unknown = 'nothing';
  const kit = createAgentKit({
    model: { strategies: ['recipe'] },
    dependencies: {
      sandbox: scene.sandbox,
      project: { languageServers: () => scene.servers, findParts: async () => parts },
    },
    recipes: [
      defineRecipe({
        id: 'r',
        label: 'R',
        fits: () => ({ score: 1, reason: 'it fits' }),
        run: async ({ world }) => {
          said = await ask(world);
          return { type: 'answered', text: 'Heard.' };
        },
      }),
    ],
  });
  await scene.servers.namesFor(['money.py'], none);
  scene.servers.warm('money.py');
  const same = [{ path: 'money.py', before: '', after: '' }];
  if (trouble === '')
    await expect
      .poll(() => scene.servers.newErrors(same, { limitMs: 2_000, signal: none, isTrial: true }))
      .toMatchObject({ type: 'found' });
  await kit.runner.send('Do the work.', turnOptions);
  return { kit, said };
}

describe('the new errors of a candidate', () => {
  it('are those that the project does not have, and a replay takes their number from the log', async () => {
    const { kit, said } = await heard(async (world) => [
      await world.newErrors([{ path: 'money.py', text: `${files['money.py']}wrong again\nand wrong\n` }]),
      await world.newErrors([{ path: 'money.py', text: `\n${files['money.py']}` }]),
      await world.newErrors([{ path: 'new.py', text: 'wrong\n' }]),
    ]);
    expect(said).toEqual([2, 0, 1]);
    const ended = ofType(kit.journal.events, 'tool-ended').map(({ output }) => output);
    expect(ended.filter((output) => output.endsWith('new errors'))).toEqual([
      '2 new errors',
      '0 new errors',
      '1 new errors',
    ]);
    await expectReplay(kit);
  });

  // Catches: a server that takes a candidate that was not chosen for the text of the file.
  it('do not depend on the candidate before', async () => {
    const { said } = await heard(async (world) => [
      await world.newErrors([{ path: 'money.py', text: `${files['money.py']}def extra(\n` }]),
      await world.newErrors([{ path: 'shop.py', text: 'needs extra\n' }]),
      await world.newErrors([
        { path: 'money.py', text: `${files['money.py']}def extra(\n` },
        { path: 'shop.py', text: 'needs extra\n' },
      ]),
    ]);
    expect(said).toEqual([0, 1, 0]);
  });

  it.each(['never ready', 'dies at once', 'slow checks', 'floods'])(
    'are unknown, and the recipe goes on, with a server that %s',
    async (trouble) => {
      const ask = (world: RecipeWorld) => world.newErrors([{ path: 'money.py', text: 'wrong\n' }]);
      const { kit, said } = await heard(ask, { trouble });
      expect(said).toBeNull();
      expect(ofType(kit.journal.events, 'turn-ended')).toHaveLength(1);
    },
  );

  it('are not asked for where the project has no server', async () => {
    const ask = (world: RecipeWorld) => world.newErrors([{ path: 'money.py', text: 'wrong\n' }]);
    const { kit, said } = await heard(ask, { parts: [] });
    expect(said).toBeNull();
    expect(ofType(kit.journal.events, 'tool-started').map(({ tool }) => tool)).not.toContain('new_errors');
  });
});
