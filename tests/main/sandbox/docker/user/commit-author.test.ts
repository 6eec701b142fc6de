import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitAuthor } from '../../../../../src/main/sandbox/docker/user/commit-author.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-author-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const nobody = { name: 'agent', email: 'agent@localhost' };

// Bug: `git commit` in the sandbox failed for want of an author.
it('the author of commits comes from the settings of git, the nearest file last', async () => {
  expect(await commitAuthor({ HOME: home })).toEqual(nobody);
  await mkdir(join(home, '.config/git'), { recursive: true });
  await writeFile(join(home, '.config/git/config'), '[user]\n\tname = Ann\n\temail = ann@old.example\n');
  await writeFile(
    join(home, '.gitconfig'),
    '[alias]\n name = no\n[user "x"]\n name = no\n[user] email = "ann@example.org"\n',
  );
  expect(await commitAuthor({ HOME: home })).toEqual({ name: 'Ann', email: 'ann@example.org' });
  const own = join(home, 'own');
  await writeFile(own, "[User]\nName=Zoë O'Brien, PhD:x\n");
  expect(await commitAuthor({ HOME: home, GIT_CONFIG_GLOBAL: own })).toEqual({
    name: "Zoë O'Brien  PhD x",
    email: 'agent@localhost',
  });
});
