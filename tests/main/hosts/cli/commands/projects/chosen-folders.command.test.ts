import { describe, expect, it } from 'vitest';
import { chosenFolders } from '../../../../../../src/main/hosts/cli/commands/projects/chosen-folders.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const known = {
  isThere: true,
  own: {},
  usual: { policy: 'local', local: 'a/b', cloud: null, image: null },
  variables: {},
  secrets: [],
  testCommand: null,
  image: null,
} as const;

function scene(folders: readonly string[], isThere = true) {
  const core = createScriptedCore();
  const changes: unknown[] = [];
  core.replace({
    projects: {
      settings: () => ({ ...known, folders, isThere }),
      configure: ({ input }: { readonly input: unknown }) => {
        changes.push(input);
        return { ...known, folders: [...folders, '/shelf/manuals'] };
      },
    },
  });
  return { ...commandContext(core), changes };
}

describe('projects folders', () => {
  it('lists, adds and removes folders, and says how answers name them', async () => {
    const { context, said, changes } = scene(['/shelf/notes']);
    expect(await chosenFolders(context, 'list', '/app', {})).toBe(0);
    expect(said.out).toBe('/shelf/notes\n');
    await chosenFolders(context, 'add', '/shelf/manuals', { project: '/app' });
    expect(said.err).toContain('name them manuals/…');
    await chosenFolders(context, 'remove', '/shelf/notes', { project: '/app' });
    expect(changes).toEqual([
      { projectPath: '/app', change: { type: 'folder', path: '/shelf/manuals' } },
      { projectPath: '/app', change: { type: 'no-folder', path: '/shelf/notes' } },
    ]);
  });

  it('changes nothing for a folder that is not chosen', async () => {
    const { context, changes } = scene([]);
    const { context: elsewhere } = scene([], false);
    await expect(chosenFolders(elsewhere, 'list', '/gone', {})).rejects.toThrow('/gone was not found');
    await expect(chosenFolders(context, 'remove', '/shelf/notes', { project: '/app' })).rejects.toThrow(/no chosen/u);
    expect(changes).toEqual([]);
  });
});
