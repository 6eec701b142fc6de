import { afterEach, describe, expect, it } from 'vitest';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { serverScene, type ServerScene } from '../../../fakes/language-server-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const none = new AbortController().signal;
const money = 'def total(prices):\n    return sum(prices)\n';
let scene: ServerScene;
afterEach(() => scene.close());

/** A session whose language server is ready. */
async function kitWith(replies: Parameters<typeof createAgentKit>[0] & object, trouble = ''): Promise<AgentKit> {
  scene = serverScene({ 'money.py': money, 'shop.py': 'from money import total\n' }, trouble);
  const languageServers = () => scene.servers;
  await scene.servers.namesFor(['money.py'], none);
  scene.servers.warm('money.py');
  const same = [{ path: 'money.py', before: money, after: money }];
  if (trouble === '')
    await expect
      .poll(() => scene.servers.newErrors(same, { limitMs: 2_000, signal: none }))
      .toMatchObject({ type: 'found' });
  return createAgentKit({
    ...replies,
    tools: builtInTools(discoverTools(), { now: () => 0, languageServers }),
    dependencies: { sandbox: scene.sandbox, project: { languageServers, findParts: async () => ['language-server'] } },
  });
}

const mine: readonly string[] = ['read_file', 'edit_file', 'rename_symbol', 'symbol_info'];

/** The results of the model's calls, as it reads them. */
async function outputs(kit: AgentKit): Promise<readonly string[]> {
  const found: string[] = [];
  const calls = new Set<string>();
  for await (const event of kit.journal.read()) {
    if (event.type === 'tool-started' && mine.includes(event.tool)) calls.add(event.toolCallId);
    if (event.type === 'tool-ended' && calls.has(event.toolCallId)) found.push(event.output);
  }
  return found;
}

const edit = (path: string, old: string, text: string) => ({ name: 'edit_file', input: { path, old, new: text } });
const done = call('task_complete', { summary: 'ok' });
const options = { ...turnOptions, strategy: 'loop' as const };

describe('the result of an edit', () => {
  it('says which errors the edits of an answer brought, once, and a replay takes them from the log', async () => {
    const kit = await kitWith({
      replies: [
        call('read_file', { path: 'money.py' }),
        call('read_file', { path: 'shop.py' }),
        { calls: [edit('money.py', 'sum(', 'wrong('), edit('shop.py', 'from', 'wrong\nfrom')] },
        { calls: [edit('money.py', 'wrong(', 'sum(')] },
        done,
      ],
    });
    await kit.runner.send('Change money.py and shop.py.', options);
    const [, , first, second, third] = await outputs(kit);
    expect(first).not.toContain('New errors');
    expect(second).toMatch(/\[New errors since the edit, found by ty:\nmoney\.py:2: wrong: .*\nshop\.py:1: wrong: /u);
    expect(third).not.toContain('New errors');
    await expectReplay(kit);
  });

  it('comes at once where the server is slow or crashed', async () => {
    const kit = await kitWith(
      { replies: [call('read_file', { path: 'money.py' }), { calls: [edit('money.py', 'sum(', 'wrong(')] }, done] },
      'never ready',
    );
    await kit.runner.send('Change money.py.', options);
    expect((await outputs(kit))[1]).toBe('Edited money.py at line 2.');
  });
});

describe('a rename', () => {
  it('changes all files in one call, which is logged and can be undone like any edit', async () => {
    const kit = await kitWith({
      replies: [call('rename_symbol', { path: 'money.py', name: 'total', newName: 'whole' }), done],
    });
    await kit.runner.send('Rename total to whole.', options);
    expect((await outputs(kit))[0]).toBe('Renamed total to whole in money.py, shop.py.');
    const changed = [];
    for await (const event of kit.journal.read()) if (event.type === 'file-changed') changed.push(event.path);
    expect(changed.sort()).toEqual(['money.py', 'shop.py']);
    await expectReplay(kit);
  });

  it('shows where a name is used, with the lines', async () => {
    const kit = await kitWith({
      replies: [call('symbol_info', { what: 'references', path: 'money.py', name: 'total' }), done],
    });
    await kit.runner.send('Where is total used?', options);
    expect((await outputs(kit))[0]).toBe('money.py:1: def total(prices):\nshop.py:1: from money import total');
    await expectReplay(kit);
  });
});
