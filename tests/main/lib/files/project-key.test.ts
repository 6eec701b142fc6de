import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byProjectKey, projectKey } from '../../../../src/main/lib/files/project-key.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'dewpoint-key-')));
  mkdirSync(join(folder, 'real', 'inner'), { recursive: true });
  symlinkSync(join(folder, 'real'), join(folder, 'link'));
  symlinkSync('link', join(folder, 'link-to-link'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the key of a project', () => {
  it.each(['real', 'link', 'link-to-link', 'real/', 'real/../link', 'real/inner/..', './/link//'])(
    'is the same for %s',
    async (name) => {
      expect(await projectKey(`${folder}/${name}`)).toBe(join(folder, 'real'));
    },
  );

  it.each([
    ['link/inner', 'real/inner'],
    ['link/gone/deeper', 'real/gone/deeper'],
    ['gone', 'gone'],
  ])('for %s is %s', async (given, key) => {
    expect(await projectKey(join(folder, given))).toBe(join(folder, key));
  });

  it('differs for folders that the disk keeps apart by case or Unicode form', async () => {
    const names = ['Project', 'project', 'caf\u00e9', 'cafe\u0301'];
    const made = names.map((name) => join(folder, name));
    for (const path of made) mkdirSync(path, { recursive: true });
    const keys = await Promise.all(made.map(projectKey));
    // As many keys as there are folders: two on a Mac, four on Linux.
    expect(new Set(keys).size).toBe(new Set(made.map((path) => statSync(path).ino)).size);
  });

  it.each(['relative/path', '', 'https://example.org'])('leaves %j as it is', async (text) => {
    expect(await projectKey(text)).toBe(text);
  });
});

describe('a record by project', () => {
  it('joins the names of one project, and its own key comes first', async () => {
    const [real, link] = [join(folder, 'real'), join(folder, 'link')];
    expect(await byProjectKey({ [link]: ['link'], [real]: ['real'] }, (own, other) => [...own, ...other])).toEqual({
      [real]: ['real', 'link'],
    });
  });
});
