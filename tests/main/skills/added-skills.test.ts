import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddedSkills } from '../../../src/main/skills/added-skills.ts';

const text = '---\nname: reader\ndescription: Reads.\n---\nRead it.\n';

describe('a skill that is added', () => {
  let root = '';
  const home = (): string => join(root, 'home');
  const copy = (...names: readonly string[]): string => join(home(), 'skills', 'reader', ...names);
  const skills = () => createAddedSkills(home());

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'dewpoint-added-'));
    await write({ 'reader/SKILL.md': text, 'reader/scripts/run.py': 'print(1)\n' });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
  }

  it('is a copy of the whole folder, without what its links lead to', async () => {
    await write({ 'secret/key': 'hidden' });
    await symlink(join(root, 'secret'), join(root, 'reader/linked'));
    await symlink(join(root, 'secret/key'), join(root, 'reader/key.txt'));
    expect(await skills().add(join(root, 'reader'), false)).toEqual({ name: 'reader', isReplaced: false });
    expect((await readdir(copy(), { recursive: true })).sort()).toEqual(['SKILL.md', 'scripts', 'scripts/run.py']);
    expect(await readFile(copy('scripts/run.py'), 'utf8')).toBe('print(1)\n');
    expect(await skills().names()).toEqual(['reader']);
    expect((await readdir(home())).sort()).toEqual(['added-skills.json', 'skills']);
  });

  it('replaces none without a word, and nothing of the old one stays', async () => {
    await skills().add(join(root, 'reader'), false);
    await write({ 'other/reader/SKILL.md': text.replace('Read it', 'Read all') });
    await expect(skills().add(join(root, 'other/reader'), false)).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('--replace'),
    });
    expect(await readFile(copy('SKILL.md'), 'utf8')).toBe(text);
    expect(await skills().add(join(root, 'other/reader'), true)).toEqual({ name: 'reader', isReplaced: true });
    expect(await readdir(copy())).toEqual(['SKILL.md']);
    expect((await readdir(home())).sort()).toEqual(['added-skills.json', 'skills']);
  });

  it.each([
    ['a folder that is not there', 'nowhere', 'There is no such folder.'],
    ['a folder without a SKILL.md', 'empty', 'It has no SKILL.md.'],
    ['a name that no skill can have', 'Bad Name', 'A skill has the name of its folder'],
    ['a SKILL.md that cannot be used', 'wrong', 'description'],
    ['too much', 'large', 'It has more than 300 files or 4 MiB'],
    ['a file', 'reader/SKILL.md', 'There is no such folder.'],
  ])('is refused for %s, and leaves nothing behind', async (_what, path, why) => {
    await write({
      'empty/notes.md': 'x',
      'Bad Name/SKILL.md': text,
      'wrong/SKILL.md': '---\nname: wrong\n---\nx',
      'large/SKILL.md': text.replace('reader', 'large'),
      'large/big.bin': 'x'.repeat(4 * 1024 * 1024),
    });
    await expect(skills().add(join(root, path), true)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining(why),
    });
    expect(await readdir(home()).catch(() => [])).toEqual([]);
  });

  // Catches: the person's own work, deleted as if it were a copy.
  it('is not removed when it was changed since, and a skill that is there is no copy', async () => {
    await skills().add(join(root, 'reader'), false);
    await write({ 'home/skills/reader/SKILL.md': text.replace('Read it', 'My words') });
    await expect(skills().remove('reader')).rejects.toMatchObject({ code: 'refused' });
    expect(await readFile(copy('SKILL.md'), 'utf8')).toContain('My words');
    await write({ 'home/skills/reader/SKILL.md': text, 'home/skills/reader/mine.md': 'My notes' });
    await expect(skills().remove('reader')).rejects.toMatchObject({ code: 'refused' });
    expect(await readFile(copy('mine.md'), 'utf8')).toBe('My notes');
    await expect(skills().add(copy(), true)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('comes back when its replacement was cut off, and of half a copy nothing stays', async () => {
    await write({
      'home/adding-skill-0123456789ab-reader-old/SKILL.md': text.replace('Read it', 'Mine'),
      'home/adding-skill-0123456789ab-reader/SKILL.md': text,
      'other/second/SKILL.md': text.replace('reader', 'second'),
    });
    await skills().add(join(root, 'other/second'), false);
    expect(await readFile(copy('SKILL.md'), 'utf8')).toContain('Mine');
    expect((await readdir(home())).sort()).toEqual(['added-skills.json', 'skills']);
  });

  it('is the only one that can be removed', async () => {
    await write({ 'home/skills/own/SKILL.md': text.replace('reader', 'own') });
    await skills().add(join(root, 'reader'), false);
    await expect(skills().remove('own')).rejects.toMatchObject({ code: 'refused' });
    await expect(skills().remove('constructor')).rejects.toMatchObject({ code: 'refused' });
    await skills().remove('reader');
    expect(await readdir(join(home(), 'skills'))).toEqual(['own']);
    expect(await skills().names()).toEqual([]);
    expect(await readFile(join(root, 'reader/SKILL.md'), 'utf8')).toBe(text);
  });
});
