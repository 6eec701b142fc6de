import { expect, it } from 'vitest';
import { readEnvironment } from '../../../../src/main/projects/facts/read-environment.ts';
import { emptyTurnFacts } from '../../../../src/main/agent/preparation/turn-facts.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const { facts } = emptyTurnFacts;
const signal = new AbortController().signal;

it('the environment of a project has its versions from one look, and the state of git from each', async () => {
  let dirty = 0;
  const sandbox = createMemorySandbox({
    exec: ({ command }) => ({
      stdout: command.includes('status')
        ? `main\n${dirty++}\n`
        : 'os Debian 12\npy Python 3.12.3\nnode v22.1.0\npytest 8.2.0\n',
    }),
  });
  const git = { ...facts, git: true };
  const known = 'Environment: Debian 12, Python 3.12.3, pytest 8.2.0, Node v22.1.0, folder /workspace, git branch main';
  expect(await readEnvironment(sandbox, git, signal)).toBe(`${known} (clean).`);
  expect(await readEnvironment(sandbox, git, signal)).toBe(`${known} (1 file changed).`);
  expect(sandbox.commands.filter((one) => one.includes('os-release'))).toHaveLength(1);
});

// Bug: a tool that is not there was reported as present.
it('the environment of a project leaves out what is missing, and does not fail', async () => {
  expect(await readEnvironment(createMemorySandbox(), facts, signal)).toBe('Environment: folder /workspace, no git.');
  const gone = createMemorySandbox();
  await gone.dispose();
  expect(await readEnvironment(gone, facts, signal)).toBe('Environment: folder /workspace, no git.');
});

// Bug: on a busy machine, the model was told of no system and no Python at all.
it('the environment of a project has the versions that came in time, and all of them the next time', async () => {
  const all = 'os Debian 12\npy Python 3.12.3\n';
  let isBusy = true;
  const sandbox = createMemorySandbox({
    exec: () => (isBusy ? { outcome: 'timed-out', exitCode: null, stdout: `os Debian 12\npy Pyt` } : { stdout: all }),
  });
  expect(await readEnvironment(sandbox, facts, signal)).toBe('Environment: Debian 12, folder /workspace, no git.');
  const git = 'Environment: Debian 12, folder /workspace, a git repository.';
  expect(await readEnvironment(sandbox, { ...facts, git: true }, signal)).toBe(git);
  isBusy = false;
  const known = 'Environment: Debian 12, Python 3.12.3, folder /workspace, no git.';
  expect(await readEnvironment(sandbox, facts, signal)).toBe(known);
});

// Catches: a path of this machine, with the name of its user, in a prompt that goes to the cloud.
it('the environment of a session that only reads names no folder of this machine', async () => {
  const sandbox = createReadOnlySandbox({ workspacePath: '/home/ada/secret-client', because: null });
  expect(await readEnvironment(sandbox, facts, signal)).toBe('Environment: no commands.');
});
