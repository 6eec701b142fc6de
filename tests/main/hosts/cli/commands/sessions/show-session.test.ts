import { expect, it } from 'vitest';
import type { StreamPart } from '../../../../../../src/main/models/providers/define.ts';
import { showSession } from '../../../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { createAgentKit, turnOptions, type AgentKit } from '../../../../../fakes/agent-kit.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createFakeCore } from '../../../../../fakes/fake-core.ts';
import { unorganized } from '../../../../../fakes/unorganized.ts';

const summary = {
  sessionId: 's',
  title: '',
  projectPath: null,
  project: null,
  createdAt: 0,
  updatedAt: 0,
  steps: 0,
  costUsd: 0,
  status: 'idle',
  lastReason: null,
  ...unorganized,
} as const;

// Bug: what a model wrote beside its calls, or until it was cancelled, stood in the log and was shown nowhere.
it('the view of a session shows what the model wrote beside a call, also when it was cancelled', async () => {
  function* begun(): Generator<StreamPart> {
    yield { type: 'text-delta', text: 'The value is wrong.' };
    kit.runner.cancel();
  }
  const kit: AgentKit = createAgentKit({
    replies: [
      { text: 'I look at the file first.', calls: [{ name: 'read_file', input: { path: 'a.py' } }] },
      { stream: begun() },
    ],
    sandbox: { files: { 'a.py': 'x = 1\n' }, exec: () => ({}) },
  });
  await kit.runner.send('Change a.py.', { ...turnOptions, strategy: 'loop', mode: 'work' });
  const core = createFakeCore([...kit.journal.events]);
  core.replace({ sessions: { find: () => summary } });
  const { context, said } = commandContext(core);
  await showSession(context, 'last', {});
  expect(said.out).toMatch(/I look at the file first\.\n[^\n]*read a\.py/u);
  expect(said.out).toContain('The value is wrong.\n');
});
