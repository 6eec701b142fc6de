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

describe('a person works on a file that the agent works on', () => {
  it.each([
    ['write_file', call('write_file', { path: 'a.py', content: 'x = 2\n' })],
    ['edit_file', call('edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 2' })],
    ['delete_file', call('delete_file', { path: 'a.py' })],
  ])('%s keeps the edit of the person and tells the model', async (_tool, write) => {
    const kit = await between(({ sandbox }) => sandbox.put('a.py', 'x = 1\nmine = True\n'), write);
    expect(kit.sandbox.text('a.py')).toBe('x = 1\nmine = True\n');
    expect(results(kit)[1]).toBe('error');
    expect(ofType(kit.journal.events, 'file-changed')).toEqual([]);
    expect(JSON.stringify(kit.requests[2]?.messages.at(-1))).toMatch(/read it again/iu);
  });

  it('does not bring back a file that was deleted meanwhile', async () => {
    const kit = await between(
      ({ sandbox }) => sandbox.remove('a.py'),
      call('write_file', { path: 'a.py', content: 'x = 2\n' }),
    );
    expect(kit.sandbox.text('a.py')).toBeNull();
  });

  it('does not write over a file that appeared under the new name', async () => {
    const kit = await between(
      ({ sandbox }) => sandbox.put('b.py', 'theirs\n'),
      call('write_file', { path: 'b.py', content: 'ours\n' }),
    );
    expect(kit.sandbox.text('b.py')).toBe('theirs\n');
  });

  it('is not blamed on the agent when it happens between two commands', async () => {
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

  it('does not lose the edit of the person when the turn is taken back', async () => {
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
