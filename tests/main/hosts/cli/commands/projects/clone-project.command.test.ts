import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cloneProject } from '../../../../../../src/main/hosts/cli/commands/projects/clone-project.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

function scene(name = 'dewpoint-cloned-') {
  const folder = mkdtempSync(join(tmpdir(), name));
  const core = createScriptedCore();
  const asked: unknown[] = [];
  const kept: unknown[] = [];
  core.replace({
    settings: {
      get: () => ({ added: [], removed: {} }),
      set: ({ input: { key, value } }) => void kept.push({ key, value }),
    },
    git: {
      clone: async function* ({ input }) {
        asked.push(input);
        yield { type: 'progress', step: 'receive', done: 12_000_000, total: null };
        yield { type: 'progress', step: 'write', done: 50, total: 100 };
        yield { type: 'progress', step: 'write', done: 52, total: 100 };
        const notes = ['1 submodule is not brought.'];
        const made = { folder, host: 'example.org', branch: 'main', commit: 'c'.repeat(40), files: 100, notes };
        yield { type: 'ended', clone: made };
      },
    },
  });
  const { context, said } = commandContext(core);
  return { folder, asked, kept, said, context };
}

it('the command that clones says where it goes, how far it is and what is missing, and adds the project', async () => {
  const { folder, asked, kept, said, context } = scene();
  expect(await cloneProject(context, 'https://example.org/ada/app.git', folder, { depth: 1 })).toBe(0);
  expect(asked).toEqual([{ url: 'https://example.org/ada/app.git', folder, branch: null, depth: 1 }]);
  expect(kept).toEqual([
    { key: 'projects.added', value: [folder] },
    { key: 'projects.removed', value: {} },
  ]);
  expect(said.err).toContain(`Cloning from example.org into ${folder}. Ctrl-C stops it`);
  expect(said.err.match(/^Writing files 50%$/gmu)).toHaveLength(1);
  expect(said.err).toContain('1 submodule is not brought.');
  expect(said.err).toContain(`100 files on main. Begin: dewpoint run --project ${folder} "TASK"`);
  expect(said.out).toBe(`${folder}\n`);
});

it('the command that clones shows a command that works for a folder with spaces', async () => {
  const { folder, said, context } = scene('dewpoint a clone-');
  await cloneProject(context, 'https://example.org/ada/app.git', folder, {});
  expect(said.err).toContain(`Begin: dewpoint run --project '${folder}' "TASK"`);
});

it('the command that clones refuses an address before it asks anybody', async () => {
  const { asked, context } = scene();
  await expect(cloneProject(context, 'git@example.org:ada/app.git', undefined, {})).rejects.toMatchObject({
    hint: 'Use its HTTPS address: https://example.org/ada/app.git',
  });
  expect(asked).toEqual([]);
});
