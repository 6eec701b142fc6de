import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import { findServerProgram } from '../../../../src/main/models/engine/own-server.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-own-server-'));
  for (const name of ['project', 'tools']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'llama-server'), '#!/bin/sh\n');
    await chmod(join(folder, name, 'llama-server'), 0o755);
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const find = (wanted: string): Promise<string | null> =>
  findServerProgram(
    {
      programs: createHostPrograms({
        home: join(folder, 'home'),
        env: {},
        projects: async () => [join(folder, 'project')],
      }),
      platform: process.platform,
    },
    { name: 'llama-server', wanted, usual: [] },
  );

describe.skipIf(process.platform === 'win32')('a server program that is named by its path', () => {
  // Catches: a program in a project, which an agent can write and the machine of the user would then start.
  it('is found where it lies, but not in a project, also by a link', async () => {
    const [outside, inside] = [join(folder, 'tools/llama-server'), join(folder, 'project/llama-server')];
    await symlink(inside, join(folder, 'tools/linked'));
    expect(await find(outside)).toBe(outside);
    expect(await find(inside)).toBe(null);
    expect(await find(join(folder, 'tools/linked'))).toBe(null);
  });
});
