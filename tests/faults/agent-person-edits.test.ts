import { describe, expect, it } from 'vitest';
import type { AgentKit, ReplyParts } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';

/** A person acts between the model's read and its write. */
async function between(act: (kit: AgentKit) => void, write: ReplyParts): Promise<AgentKit> {
  const kit: AgentKit = createAgentKit({
    replies: [
      call('read_file', { path: 'a.py' }),
      () => {
        act(kit);
        return write;
      },
      call('task_complete', { summary: 'ok' }),
    ],
  });
  const end = await kit.runner.send('Do the work.', turnOptions);
  expect(end.reason).toBe('answered');
  return kit;
}

const results = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'tool-ended')
    .filter((event) => event.tool !== 'gather_facts')
    .map((event) => event.status);

describe('an edit of the person during the work', () => {
  it.each([
    ['write_file', call('write_file', { path: 'a.py', content: 'x = 2\n' })],
    ['edit_file', call('edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 2' })],
    ['delete_file', call('delete_file', { path: 'a.py' })],
  ])('is kept and reported to the model when it calls %s', async (_tool, write) => {
    const kit = await between(({ sandbox }) => sandbox.put('a.py', 'x = 1\nmine = True\n'), write);
    expect(kit.sandbox.text('a.py')).toBe('x = 1\nmine = True\n');
    expect(results(kit)[1]).toBe('error');
    expect(ofType(kit.journal.events, 'file-changed')).toEqual([]);
    expect(JSON.stringify(kit.requests[2]?.messages.at(-1))).toMatch(/read it again/iu);
  });

  it('that deletes a file is not reverted by the agent', async () => {
    const kit = await between(
      ({ sandbox }) => sandbox.remove('a.py'),
      call('write_file', { path: 'a.py', content: 'x = 2\n' }),
    );
    expect(kit.sandbox.text('a.py')).toBeNull();
  });

  it('that creates a file is not overwritten by the agent', async () => {
    const kit = await between(
      ({ sandbox }) => sandbox.put('b.py', 'theirs\n'),
      call('write_file', { path: 'b.py', content: 'ours\n' }),
    );
    expect(kit.sandbox.text('b.py')).toBe('theirs\n');
  });

  it('between two commands is not counted as a change of the agent', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [
        call('run_command', { command: 'one' }),
        () => {
          kit.sandbox.put('a.py', 'person\n');
          return { calls: [{ name: 'run_command', input: { command: 'two' } }] };
        },
        call('task_complete', { summary: 'ok' }),
      ],
      sandbox: {
        files: { 'a.py': 'x = 1\n' },
        exec: ({ command }, sandbox) => {
          sandbox.put(`${command}.txt`, command);
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(ofType(kit.journal.events, 'file-changed').map((event) => event.path)).toEqual(['one.txt', 'two.txt']);
  });

  it('is kept when the turn is undone', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [
        call('read_file', { path: 'a.py' }),
        call('write_file', { path: 'a.py', content: 'broken\n' }),
        () => {
          kit.sandbox.put('b.py', 'mine\n');
          return {};
        },
        {},
        {},
      ],
      sandbox: {
        files: { 'a.py': 'x = 1\n', 'b.py': '', 'tests/test_a.py': 'def test_a(): pass\n' },
        exec: (_request, sandbox) => (sandbox.text('a.py') === 'broken\n' ? { exitCode: 1 } : { exitCode: 0 }),
      },
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('gave-up');
    expect(kit.sandbox.text('a.py')).toBe('x = 1\n');
    expect(kit.sandbox.text('b.py')).toBe('mine\n');
  });
});
