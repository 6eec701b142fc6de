import { expect, it } from 'vitest';
import { pullProject } from '../../../../../../src/main/hosts/cli/commands/projects/pull-project.command.ts';
import { pushProject } from '../../../../../../src/main/hosts/cli/commands/projects/push-project.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const begin = { folder: '/work/app', branch: 'main', remote: 'origin', host: 'example.org', theirs: 'main' };
const commit = 'c'.repeat(40);

function scene() {
  const core = createScriptedCore();
  const asked: unknown[] = [];
  core.replace({
    git: {
      pull: async function* ({ input }) {
        asked.push(input);
        yield { type: 'began', ...begin };
        yield { type: 'progress', step: 'write', done: 50, total: 100 };
        const notes = ['1 submodule is not brought.'];
        yield { type: 'ended', pull: { ...begin, from: 'a'.repeat(40), to: commit, files: 100, notes } };
      },
      planPush: ({ input }) => {
        asked.push(input);
        const commits = [{ id: commit, author: 'Ada', title: 'Fix\u202e the date' }];
        const { folder, branch, remote, host } = begin;
        const at = { folder, branch, remote, host, address: 'https://example.org/ada/app', commit };
        return { ...at, isNew: true, commits, count: 1, notes: ['By HTTPS.'], approval: 'b'.repeat(64) };
      },
      push: ({ input }) => {
        asked.push(input);
        return { branch: 'main', commit, address: 'https://example.org/ada/app' };
      },
    },
  });
  return { asked, ...commandContext(core) };
}

it('the command that pulls says from where, how far it is, what is missing and where the branch is', async () => {
  const { context, said, asked } = scene();
  expect(await pullProject(context, '/work/app', { remote: 'upstream' })).toBe(0);
  expect(asked).toEqual([{ projectPath: '/work/app', remote: 'upstream' }]);
  expect(said.err).toContain('Pulling origin/main from example.org into main of /work/app.');
  expect(said.err).toContain('Writing files 50%');
  expect(said.err).toContain('1 submodule is not brought.');
  expect(said.out).toBe('main is at cccccccccccc, from aaaaaaaaaaaa: 100 files changed.\n');
});

it('the command that pulls says that it was stopped, and that nothing was changed', async () => {
  const core = createScriptedCore();
  core.replace({
    git: {
      pull: async function* () {
        yield { type: 'began', ...begin };
      },
    },
  });
  const { context } = commandContext(core);
  const stopped = { ...context, signal: AbortSignal.abort() };
  await expect(pullProject(stopped, '/work/app', {})).rejects.toMatchObject({
    code: 'cancelled',
    message: 'The pull was stopped. No file was changed.',
  });
  await expect(pullProject(context, '/work/app', {})).rejects.toMatchObject({ code: 'internal' });
});

it('the command that pushes shows what would be sent, and sends exactly that after a yes', async () => {
  const { context, said, asked } = scene();
  expect(await pushProject(context, '/work/app', { yes: true })).toBe(0);
  expect(said.err).toContain('Branch main at cccccccc, which is new there');
  expect(said.err).toContain('to     https://example.org/ada/app  (remote origin, host example.org)');
  expect(said.err).toContain('1 commit:');
  expect(said.err).not.toContain('\u202e');
  expect(asked).toEqual([
    { projectPath: '/work/app', branch: null, remote: null },
    { projectPath: '/work/app', branch: null, remote: null, approval: 'b'.repeat(64) },
  ]);
  expect(said.out).toBe('Pushed main (cccccccccccc) to https://example.org/ada/app.\n');
});

it('the command that pushes sends nothing where nobody can answer', async () => {
  const { context, asked } = scene();
  await expect(pushProject(context, '/work/app', {})).rejects.toMatchObject({
    message: expect.stringContaining('needs your approval'),
  });
  expect(asked).toHaveLength(1);
});
