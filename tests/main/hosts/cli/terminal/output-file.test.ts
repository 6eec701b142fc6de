import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkOutputFile, writeOutputFile } from '../../../../../src/main/hosts/cli/terminal/output-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-output-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

describe('a file that a person named', () => {
  it('is written with its folder, and keeps the permissions of the old file', async () => {
    await writeOutputFile(at('new/a.json'), 'one');
    await chmod(at('new/a.json'), 0o644);
    await writeOutputFile(at('new/a.json'), 'two');
    expect(await readFile(at('new/a.json'), 'utf8')).toBe('two');
    expect((await stat(at('new/a.json'))).mode & 0o777).toBe(0o644);
    expect(await readdir(at('new'))).toEqual(['a.json']);
  });

  it('is written through a link, which stays', async () => {
    await writeFile(at('real'), 'old');
    await symlink(at('real'), at('link'));
    await writeOutputFile(at('link'), 'new');
    expect(await readFile(at('real'), 'utf8')).toBe('new');
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('may be a pipe, which gets the text and stays a pipe', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', at('pipe')]);
    await checkOutputFile(at('pipe'));
    const [read] = await Promise.all([readFile(at('pipe'), 'utf8'), writeOutputFile(at('pipe'), 'text')]);
    expect(read).toBe('text');
    expect((await stat(at('pipe'))).isFIFO()).toBe(true);
  });

  it('is checked before the work, and an error names what is in the way', async () => {
    await mkdir(at('folder'));
    await writeFile(at('file'), '');
    for (const name of [at('folder'), at('file/in/it')]) {
      const wanted = { code: 'bad-input', message: expect.stringContaining(`${name} cannot be written: `) };
      await expect(checkOutputFile(name)).rejects.toMatchObject(wanted);
      await expect(writeOutputFile(name, 'x')).rejects.toMatchObject(wanted);
    }
    expect(await readdir(folder)).toEqual(['file', 'folder']);
  });
});
