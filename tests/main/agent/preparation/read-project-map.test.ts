import { describe, expect, it } from 'vitest';
import type { ProjectPart } from '../../../../src/main/tools/define.ts';
import type { ProjectSymbols } from '../../../../src/main/symbols/project-symbols.ts';
import { type AgentKit, call, createAgentKit, type KitOptions, turnOptions } from '../../../fakes/agent-kit.ts';
import { fakeSymbols, noMap } from '../../../fakes/fake-symbols.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

/** Catches: a map that is told again and again, that changes between steps, or that a small project pays for. */
const done = call('task_complete', { summary: 'ok' });

function kitWith(
  symbols: ProjectSymbols | null,
  parts: readonly ProjectPart[] = ['symbols'],
  options: KitOptions = {},
): AgentKit {
  const project = { symbols, findParts: async () => parts };
  return createAgentKit({ replies: [done, done, done], dependencies: { project }, ...options });
}

const loop = { ...turnOptions, strategy: 'loop' } as const;
const firstTexts = ({ requests }: AgentKit): readonly string[] =>
  requests.map(({ messages }) => JSON.stringify(messages.find(({ role }) => role === 'user')));

describe('the map in the prompt', () => {
  it('opens the task once in a session, the same byte for byte in every step', async () => {
    const symbols = fakeSymbols();
    const look = call('read_file', { path: 'a.py' });
    const kit = kitWith(symbols, ['symbols'], { replies: [look, done, done] });
    await kit.runner.send('Make Cart.add reject nothing.', loop);
    await kit.runner.send('And remove x.', loop);
    const [first, second, third] = firstTexts(kit);
    expect(first).toContain('Map of the project, by file and line, 2 of 7 names:\\napp/cart.py\\n  3 class Cart');
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(JSON.stringify(kit.requests[2]).split('Map of the project')).toHaveLength(2);
    expect(symbols.maps()).toBe(1);
    await expectReplay(kit);
    expect(symbols.maps()).toBe(1);
  });

  it('has 4,000 tokens for a large model and 400 to 1,000 for a small one', async () => {
    const large = kitWith(fakeSymbols(), ['symbols'], { model: { parametersB: 70, contextTokens: 200_000 } });
    const small = kitWith(fakeSymbols(), ['symbols'], { model: { parametersB: 1.5, contextTokens: 8_192 } });
    const middle = kitWith(fakeSymbols(), ['symbols'], { model: { parametersB: 7, contextTokens: 32_768 } });
    for (const kit of [large, small, middle]) await kit.runner.send('Change x.', loop);
    expect(firstTexts(large)[0]).toContain('(4000)');
    expect(firstTexts(small)[0]).toContain('(409)');
    expect(firstTexts(middle)[0]).toContain('(1000)');
  });

  it('is not there in a small project, in a chat, or where it cannot be made, and the work goes on', async () => {
    const small = kitWith(fakeSymbols(), []);
    const broken = kitWith(fakeSymbols(noMap));
    const none = kitWith(null);
    for (const kit of [small, broken, none]) {
      await kit.runner.send('Change x.', loop);
      expect(firstTexts(kit)[0]).not.toContain('Map of the project');
      expect(kit.journal.state().turns.at(-1)?.reason).toBe('answered');
      await expectReplay(kit);
    }
    expect(JSON.stringify(small.requests[0])).not.toMatch(/find_symbol|outline/u);
  });

  it('is tried again in the next turn if it could not be made', async () => {
    let tries = 0;
    const whole = fakeSymbols();
    const symbols = fakeSymbols({
      map: (ask, signal) => ((tries += 1) === 1 ? (noMap.map ?? whole.map)(ask, signal) : whole.map(ask, signal)),
    });
    const kit = kitWith(symbols);
    await kit.runner.send('Change x.', loop);
    await kit.runner.send('Change y.', loop);
    expect(JSON.stringify(kit.requests.at(-1))).toContain('Map of the project');
  });
});

describe('the tools for names', () => {
  it('find a name and outline a file in one call', async () => {
    const replies = [call('find_symbol', { name: 'Cart.add' }), call('outline', { path: './app/cart.py' }), done];
    const kit = kitWith(fakeSymbols(), ['symbols'], { replies });
    await kit.runner.send('Where is Cart.add used?', loop);
    const said = JSON.stringify(kit.requests.at(-1));
    expect(said).toContain(
      'Defined:\\napp/cart.py:4: Cart: def add(self, item)\\nUsed, by the name alone, so another thing of this name may be meant:\\napp/main.py:8: in main',
    );
    expect(said).toContain('3-9: class Cart\\n4-6: Cart: def add(self, item)');
    await expectReplay(kit);
  });

  it('say what to do if they know nothing', async () => {
    const replies = [call('find_symbol', { name: 'nothing' }), call('outline', { path: 'a.txt' }), done];
    const kit = kitWith(fakeSymbols(), ['symbols'], { replies });
    await kit.runner.send('Where is nothing used?', loop);
    const said = JSON.stringify(kit.requests.at(-1));
    expect(said).toContain('No function, class, constant or import is named nothing.');
    expect(said).toContain('No names are known in a.txt: it is no source file');
  });
});
