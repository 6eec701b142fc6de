import { describe, expect, it } from 'vitest';
import type { ModelRequest, StreamPart } from '../../../../src/main/models/providers/define.ts';
import { call, createAgentKit, turnOptions, type AgentKit } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const done = call('task_complete', { summary: 'x is 2.' });
const options = { ...turnOptions, strategy: 'loop' } as const;
const textsOf = (request: ModelRequest | undefined, role: string): readonly string[] =>
  (request?.messages ?? []).flatMap((message) =>
    message.role === role ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
const kitOf = (replies: readonly ReturnType<typeof call>[]) =>
  createAgentKit({ replies, sandbox: { files: { 'a.py': 'x = 1\n' }, exec: () => ({}) } });

describe('the prompt of a second turn', () => {
  // Bug: the whole block of facts came with each message.
  it('tells only the facts that are new', async () => {
    const write = call('write_file', { path: 'b.py', content: 'y = 1\n' });
    const kit = kitOf([write, done, done]);
    await kit.runner.send('Make b.py.', { ...options, mode: 'work' });
    await kit.runner.send('Change it again.', { ...options, mode: 'work' });
    const [first = '', , second = ''] = [0, 1, 2].map((at) => textsOf(kit.requests[at], 'user').at(-1));
    expect(first).toContain('The project has 1 file.\nSource: a.py');
    expect(second).toContain('The project has 2 files.\nSource: a.py, b.py');
    const asked = kitOf([{ text: '1' }, { text: '1' }]);
    for (const question of ['Which value does x have in a.py?', 'And is it right?'])
      await asked.runner.send(question, { ...options, mode: 'ask' });
    const again = textsOf(asked.requests[1], 'user').at(-1) ?? '';
    expect(again).toMatch(/^And is it right\?\n\n<dewpoint>\nThe user asks a question: [^\n]+\n<\/dewpoint>$/u);
    await expectReplay(kit);
  });

  // Bug: sentences of Dewpoint stood there as if the model had said them.
  it('never gives words of Dewpoint as an answer of the model', async () => {
    const kit = kitOf([call('read_file', { path: 'a.py' }), done]);
    await kit.runner.send('Change a.py.', { ...options, mode: 'work', maxSteps: 1 });
    await kit.runner.send('Go on.', { ...options, mode: 'work' });
    expect(textsOf(kit.requests[1], 'assistant')).toEqual([]);
    expect(textsOf(kit.requests[1], 'user').join('\n')).toContain(
      '<dewpoint>\nThe work on the message before ended: It reached its limit of steps. This message has its own.',
    );
  });

  // Bug: a question was there three times, and what a model was blocked by, too.
  it.each([
    ['a question', 'ask_person', { question: 'Which of the two?', choices: ['CSV', 'JSON'] }, /2\. JSON/gu],
    ['a block', 'task_complete', { summary: 'The password is missing.', status: 'blocked' }, /password/gu],
  ])('has %s that waits once beside the call', async (_what, name, input, words) => {
    const kit = kitOf([{ text: 'There are two formats.', calls: [{ name, input }] }, done]);
    expect((await kit.runner.send('Change a.py.', { ...options, mode: 'work' })).reason).toBe('waiting');
    await kit.runner.send('The second.', { ...options, mode: 'work' });
    const messages = kit.requests[1]?.messages ?? [];
    expect(textsOf(kit.requests[1], 'assistant')).toEqual(['There are two formats.']);
    const results = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'));
    expect(JSON.stringify(results).match(words)).toHaveLength(1);
    expect(textsOf(kit.requests[1], 'user').at(-1)).toContain('The second.');
    await expectReplay(kit);
  });

  // Bug: a limit that was raised since was told with its old figures, as if it still held.
  it('has no figures of a spending limit that ended the turn before', async () => {
    const price = { input: 3, output: 15, source: 'test', date: '2026-11-28' };
    const kit = createAgentKit({ cloud: { price }, replies: [done], countTokens: () => 2_000 });
    const inCloud = { ...options, policy: 'cloud', cloud: 'sky/model', mode: 'work' } as const;
    const end = await kit.runner.send('Change a.py.', { ...inCloud, maxUsd: 0.001 });
    expect(end).toMatchObject({ reason: 'cap', text: expect.stringContaining('raise it to $') });
    await kit.runner.send('Go on.', { ...inCloud, maxUsd: 5 });
    const told = JSON.stringify(kit.requests[0]?.messages);
    expect(told).toContain('It reached its spending limit. This message has its own.');
    expect(told).not.toContain('$');
  });

  // Bug: what the model had written until the person stopped it was lost.
  it('has the written part of a cancelled answer', async () => {
    function* begun(): Generator<StreamPart> {
      yield { type: 'text-delta', text: 'The value is wrong in two places.' };
      kit.runner.cancel();
    }
    const kit: AgentKit = createAgentKit({
      replies: [{ stream: begun() }, done],
      sandbox: { files: { 'a.py': 'x = 1\n' }, exec: () => ({}) },
    });
    await kit.runner.send('Change a.py.', { ...options, mode: 'work' });
    await kit.runner.send('Go on.', { ...options, mode: 'work' });
    expect(textsOf(kit.requests[1], 'user').join('\n')).toContain(
      'The work on the message before ended: Cancelled.\nYou had written until then:\nThe value is wrong in two places.',
    );
    await expectReplay(kit);
  });

  // Bug: a question had other tools than work, so nothing of the prompt was read from the cache.
  it('keeps its beginning after a question, and says only then that nothing may be changed', async () => {
    const kit = kitOf([{ text: 'x is 1.' }, call('write_file', { path: 'b.py', content: 'y' }), { text: 'No.' }, done]);
    await kit.runner.send('Which value does x have in a.py?', { ...options, mode: 'ask' });
    await kit.runner.send('And which one does y have?', { ...options, mode: 'ask' });
    await kit.runner.send('Set it to 2.', { ...options, mode: 'work' });
    const starts = kit.requests.map(({ tools, messages }) => JSON.stringify([tools, messages[0]]));
    expect(new Set(starts).size).toBe(1);
    const told = kit.requests.map((request) =>
      textsOf(request, 'user').at(-1)?.includes('nothing may be changed here'),
    );
    expect(told).toEqual([true, true, true, false]);
    expect(JSON.stringify(kit.requests[2]?.messages)).toContain('nothing may be changed then');
    expect(kit.sandbox.text('b.py')).toBeNull();
  });
});

// Bug: "find out why and put it right", where only the guarded line could be at fault.
it('an objection after a refused edit of a guarded file says that the model may report it as blocked', async () => {
  const kit = createAgentKit({
    replies: [
      call('read_file', { path: 'test_a.py' }),
      call('write_file', { path: 'test_a.py', content: 'pass\n' }),
      done,
      done,
    ],
    sandbox: {
      files: { 'test_a.py': 'def test_a():\n    assert 0\n' },
      exec: () => ({ exitCode: 1, stdout: '1 failed in 1s' }),
    },
  });
  await kit.runner.send('Make the check pass.', { ...options, check: 'check', mode: 'work', approve: 'deny' });
  const sent = JSON.stringify(kit.requests[3]?.messages);
  expect(sent).toContain('test_a.py is a test file that was there before, so it judges the work. It is guarded');
  expect(sent).toContain('A line that you were refused is guarded: if it must change, say so as blocked.');
});
