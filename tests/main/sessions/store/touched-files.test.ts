import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findTouchedFiles,
  isTouchedSince,
  touchedFilesText,
} from '../../../../src/main/sessions/store/touched-files.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dewpoint-touched-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120));

describe('the list of files touched since a time', () => {
  it('has every changed, new or deleted file, follows no link, and has nothing else', async () => {
    for (const path of ['same.txt', 'old.txt', 'away/file.txt', 'away/stays.txt', 'known.txt', 'deep/down/old.txt'])
      await put(path, 'old');
    await symlink('/', join(root, 'link'));
    await wait();
    const since = Date.now();
    await put('old.txt', 'new');
    await put('made/new.txt', 'new');
    await put('node_modules/x/y.js', 'new');
    await rm(join(root, 'away/file.txt'));
    await rm(join(root, 'known.txt'));
    // The file counts even if a program resets its times.
    await put('deep/down/old.txt', 'new');
    await utimes(join(root, 'deep/down/old.txt'), 1, 1);
    const touched = await findTouchedFiles(root, since, ['known.txt', 'same.txt']);
    expect(touched).toEqual({
      files: [
        { path: 'away/', what: 'folder' },
        { path: 'deep/down/old.txt', what: 'changed' },
        { path: 'known.txt', what: 'gone' },
        { path: 'made/new.txt', what: 'new' },
        { path: 'old.txt', what: 'changed' },
      ],
      isWhole: true,
    });
  });

  // Catches: on a disk that counts whole seconds, a file made by a command looked older than the command.
  it('counts what a slow clock dates up to two seconds before, and nothing else from before', () => {
    const since = Date.UTC(2026, 0, 1) + 1_900;
    const ages = [0, 40, 60, 900, 1_900, 2_900];
    expect(ages.filter((age) => isTouchedSince(since - age, since))).toEqual([0, 40, 900, 1_900]);
  });

  it('is empty when nothing changed, and says when it was cut', async () => {
    await put('a/b.txt', 'old');
    await wait();
    const since = Date.now();
    expect(touchedFilesText((await findTouchedFiles(root, since, [])) ?? { files: [], isWhole: false })).toBe(
      'No file of the workspace was touched since it began.',
    );
    for (let index = 0; index < 60; index += 1) await put(`a/${index}.txt`, 'new');
    const many = await findTouchedFiles(root, since, []);
    expect([many?.files.length, many?.isWhole]).toEqual([50, false]);
    expect(touchedFilesText(many ?? { files: [], isWhole: true }).split('\n')).toHaveLength(52);
    await rename(root, `${root}-moved`);
    expect(await findTouchedFiles(root, since, [])).toBeNull();
    await rename(`${root}-moved`, root);
  });
});
