import { expect, it } from 'vitest';
import { call, createAgentKit, ofType, turnOptions } from '../../fakes/agent-kit.ts';

const written = 'def test_a():\n    assert True\n';
const outputs = ({ events }: ReturnType<typeof createAgentKit>['journal']): readonly string[] =>
  ofType(events, 'tool-ended')
    .filter(({ tool }) => tool === 'run_tests')
    .map(({ output }) => output);

// Bug: "no test command that is known" after tests were written, although the check at the end ran that very command.
it('the run_tests tool finds tests written in the turn, and says in one line that they pass', async () => {
  const commands: string[] = [];
  const kit = createAgentKit({
    replies: [
      call('run_tests', {}),
      call('write_file', { path: 'tests/test_a.py', content: written }),
      call('run_tests', {}),
      call('task_complete', { summary: 'ok' }),
    ],
    sandbox: {
      files: { 'a.py': 'x = 1\n' },
      exec: ({ command }) => {
        commands.push(command);
        return { stdout: '.\n1 passed in 0.01s\n', exitCode: 0, durationMs: 1_200 };
      },
    },
  });
  await kit.runner.send('Add a function with a test.', { ...turnOptions, strategy: 'loop' });
  expect(outputs(kit.journal)).toEqual([
    'No tests were found in this project. Write some, or use run_command.',
    'exit code 0 in 1.2 s: 1 passed, 0 failed',
  ]);
  expect(commands[0]).toContain('pytest');
});

it('the run_tests tool shows the output of a failing test', async () => {
  const kit = createAgentKit({
    replies: [call('run_tests', {}), call('task_complete', { summary: 'ok', status: 'blocked' })],
    sandbox: {
      files: { 'tests/test_a.py': written },
      exec: () => ({ stdout: 'F\nFAILED tests/test_a.py::test_a\n1 failed, 2 passed in 0.01s\n', exitCode: 1 }),
    },
  });
  await kit.runner.send('Look at the tests.', { ...turnOptions, strategy: 'loop' });
  expect(outputs(kit.journal)[0]).toMatch(/^exit code 1: 2 passed, 1 failed\nF\nFAILED tests/u);
});
