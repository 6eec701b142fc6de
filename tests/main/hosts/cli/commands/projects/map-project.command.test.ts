import { describe, expect, it } from 'vitest';
import { mapProject } from '../../../../../../src/main/hosts/cli/commands/projects/map-project.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

describe('projects map', () => {
  // Catches: a project whose names nobody uses yet, of which Dewpoint says that it does not know the language.
  it.each([
    [0, 'Dewpoint knows no language of its files.'],
    [3, 'None of the 3 names here is used in another place.'],
  ])('says why it shows none of %s names', async (definitions, why) => {
    const map = { text: '', files: 0, definitions: 0, all: { files: 1, definitions }, isCut: false };
    const core = createScriptedCore();
    core.replace({ projects: { map: () => map } });
    const { context, said } = commandContext(core);
    expect(await mapProject(context, '.', {})).toBe(0);
    expect(said.err).toContain(why);
  });

  // Catches: a project of a million files of which only the first were read, with not a word about the others.
  it.each(['', 'a.py\n  1 def f()'])(
    'says that it read only a part of the files, whatever it shows: %j',
    async (text) => {
      const map = { text, files: 1, definitions: 1, all: { files: 50_000, definitions: 50_000 }, isCut: true };
      const core = createScriptedCore();
      core.replace({ projects: { map: () => map } });
      const { context, said } = commandContext(core);
      expect(await mapProject(context, '.', {})).toBe(0);
      expect(said.err).toContain(
        'Only 50000 files with code were read, the upper folders first: the project has more.',
      );
    },
  );
});
