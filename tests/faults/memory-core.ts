import type { ClientCore } from '../fakes/core-client.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { success } from '../../src/shared/errors.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';

/** The script of the model in a session of this core. A pause before each answer spreads the moments of kills. */
export const memoryScript = {
  kind: 'scripted',
  replies: [
    { toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
    { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] },
    { text: 'Now the tests.', toolCalls: [{ name: 'run_command', input: { command: 'pytest -q' } }] },
    { toolCalls: [{ name: 'write_file', input: { path: 'notes.md', content: '# Notes\n'.repeat(2000) } }] },
    { toolCalls: [{ name: 'list_files', input: {} }] },
    { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] },
  ].map((reply) => ({ ...reply, delayMs: 4 })),
};

/** The real core in a home, with a sandbox in memory instead of a container. */
export function openMemoryCore(home: string): Promise<ClientCore> {
  return openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    env: {},
    startSandbox: async () =>
      success(
        createMemorySandbox({
          files: { 'calc.py': 'def add(a, b):\n    return a - b\n', 'tests/test_calc.py': 'from calc import add\n' },
          exec: async ({ command }, sandbox) => {
            await wait(8);
            // An own tool runs.
            if (command.startsWith('dewpoint_tool=')) return { exitCode: 0, stdout: 'It was counted.' };
            const isFixed = sandbox.text('calc.py')?.includes('a + b') === true;
            return isFixed ? { exitCode: 0, stdout: '1 passed' } : { exitCode: 1, stdout: '1 failed' };
          },
        }),
      ),
  });
}
