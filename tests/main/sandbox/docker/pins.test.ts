import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPins } from '../../../../src/main/sandbox/docker/pins.ts';

describe('pins', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-pins-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are none where there is no repository', async () => {
    expect(await findPins(folder)).toEqual({ pins: [], warnings: [] });
    await mkdir(join(folder, '.git'));
    expect(await findPins(folder)).toEqual({ pins: [], warnings: [] });
  });

  it('hold .git itself before what is read-only in it, and make the hooks folder where it is missing', async () => {
    await mkdir(join(folder, '.git'));
    await writeFile(join(folder, '.git/config'), '');
    expect(await findPins(folder)).toEqual({
      pins: [
        { path: '.git', readOnly: false },
        { path: '.git/config', readOnly: true },
        { path: '.git/hooks', readOnly: true },
      ],
      warnings: [],
    });
    expect((await stat(join(folder, '.git/hooks'))).isDirectory()).toBe(true);
  });

  it('keep the file of a worktree as it is, and tell of what they cannot hold', async () => {
    await writeFile(join(folder, '.git'), 'gitdir: /elsewhere');
    expect(await findPins(folder)).toEqual({
      pins: [{ path: '.git', readOnly: true }],
      warnings: [expect.stringMatching(/elsewhere/)],
    });
    await rm(join(folder, '.git'));
    await symlink('/elsewhere', join(folder, '.git'));
    expect(await findPins(folder)).toEqual({ pins: [], warnings: [expect.stringMatching(/not protected/)] });
  });
});
