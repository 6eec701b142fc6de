import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  isDiskFull,
  makeFolder,
  readJsonFile,
  writeFileAtomic,
  writeJsonFile,
} from '../../../../src/main/lib/files/json-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-json-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const parse = (value: unknown): { a: number } => z.object({ a: z.number() }).parse(value);

describe('a JSON file', () => {
  it('can have its folder created many times at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = join(folder, String(round), 'a', 'b');
      const made = await Promise.allSettled(Array.from({ length: 12 }, () => makeFolder(path)));
      expect(made.filter(({ status }) => status === 'rejected')).toEqual([]);
    }
  });

  it('is read as it was written, in a new folder, with nothing left behind', async () => {
    const path = join(folder, 'deep', 'a.json');
    await writeJsonFile(path, { a: 1 });
    await writeJsonFile(path, { a: 2 });
    expect(await readJsonFile(path, parse)).toEqual({ type: 'value', value: { a: 2 } });
    expect(await readdir(join(folder, 'deep'))).toEqual(['a.json']);
  });

  it('is reported as missing, damaged or of another shape', async () => {
    const path = join(folder, 'a.json');
    expect(await readJsonFile(path, parse)).toEqual({ type: 'missing' });
    for (const text of ['', '{"a":', '{"a":"x"}', '\u0000']) {
      await writeFile(path, text);
      expect((await readJsonFile(path, parse)).type).toBe('damaged');
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  });

  it('stays as it was when it cannot be replaced', async () => {
    const path = join(folder, 'taken');
    await writeFileAtomic(join(path, 'inside'), 'x');
    await expect(writeFileAtomic(path, 'y')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('is written in a folder behind a link, and an error names what is in the way', async () => {
    await makeFolder(join(folder, 'a', 'b'));
    await symlink(join(folder, 'a'), join(folder, 'link'));
    await makeFolder(join(folder, 'link', 'b', 'c'));
    await makeFolder(join(folder, 'a', 'b', 'c'));
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(folder, 'file', 'in', 'it'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling'));
    await expect(makeFolder(join(folder, 'dangling', 'in', 'it'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.skipIf(process.platform !== 'linux')('fails when no folder can be created', async () => {
    await expect(makeFolder('/proc/nope/in/it')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(writeJsonFile('/proc/nope/a.json', {})).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('fails with a known error when the disk is full', () => {
    expect(['ENOSPC', 'EDQUOT', 'EACCES'].map((code) => isDiskFull(Object.assign(new Error(code), { code })))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
