import { describe, expect, it } from 'vitest';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const absent = ['The Python packages of this project are not installed here.'];
const run = (command: string) => call('run_command', { command });

/** Runs commands that print their own text, the ones with "!" with an error, and returns what the model reads. */
async function results(
  commands: readonly string[],
  lacking: readonly string[] = absent,
): Promise<[AgentKit, string[]]> {
  const sandbox = createMemorySandbox({
    files: { 'a.py': 'x = 1\n' },
    exec: ({ command }) => ({ stdout: command, exitCode: command.endsWith('!') ? 0 : 1 }),
  });
  const kit = createAgentKit({
    replies: [...commands.map(run), call('task_complete', { summary: 'ok' })],
    dependencies: { sandbox: { ...sandbox, description: { ...sandbox.description, absent: lacking } } },
  });
  await kit.runner.send('Set x to 2.', { ...turnOptions, strategy: 'loop' });
  const ended = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'run_command');
  return [kit, ended.map(({ output }) => output)];
}

describe('packages that are not installed', () => {
  it.each([
    "ModuleNotFoundError: No module named 'six'",
    "Error: Cannot find module 'left-pad'",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad'",
    'bash: line 1: pytest: command not found',
    'sh: 1: eslint: not found',
  ])('are named once a command lacks one, and only once: %s', async (said) => {
    const [kit, [first, second]] = await results([said, `${said} `]);
    expect(first).toContain(`[${absent[0] ?? ''}]`);
    expect(second).not.toContain(absent[0]);
    expect(JSON.stringify(kit.requests[0])).not.toContain(absent[0]);
    await expectReplay(kit);
  });

  it.each([
    'AssertionError: 1 != 2',
    "Error: Cannot find module './own-file'",
    "No module named 'six', but it ended well!",
    'the value was not found here',
  ])('are not named when nothing is missing: %s', async (said) => {
    const [, [first]] = await results([said]);
    expect(first).not.toContain(absent[0]);
  });

  it('are not named when all are installed', async () => {
    const [, [first]] = await results(["No module named 'six'"], []);
    expect(first).not.toContain('packages');
  });
});
