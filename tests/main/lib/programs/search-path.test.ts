import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programEnvironment } from '../../../../src/main/lib/programs/program-environment.ts';
import { isWholePath } from '../../../../src/main/lib/files/is-within.ts';
import { searchFolders } from '../../../../src/main/lib/programs/search-path.ts';

let base = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-search-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const windows = {
  platform: 'win32',
  homeFolder: String.raw`C:\Users\me`,
  projects: [String.raw`C:\Users\me\project`],
} as const;

describe('the search path of programs', () => {
  it('has only whole paths outside projects', async () => {
    const [project, link, tools] = [join(base, 'project'), join(base, 'link'), join(base, 'tools')];
    await mkdir(join(project, '.venv/bin'), { recursive: true });
    await mkdir(tools);
    await symlink(join(project, '.venv'), link);
    const inProject = [project, join(project, '.venv/bin'), join(link, 'bin'), join(project, '..', 'project')];
    const PATH = ['', '.', 'bin', '../tools', ...inProject, join(base, 'node_modules/.bin'), tools, '/usr/bin'].join(
      ':',
    );
    const place = { env: { PATH }, platform: 'linux', homeFolder: '/home/me', projects: [project] } as const;
    expect(searchFolders(place)).toEqual([tools, '/usr/bin']);
  });

  it('keeps its folders for a person in the home folder or in a system folder', () => {
    const PATH = '/home/me/.local/bin:/home/me:/usr/bin';
    for (const [project, left] of [
      ['/home/me', '/home/me/.local/bin:/usr/bin'],
      ['/', PATH],
      ['/usr', PATH],
    ]) {
      const place = { env: { PATH }, platform: 'linux', homeFolder: '/home/me', projects: [project ?? ''] } as const;
      expect(searchFolders(place).join(':')).toBe(left);
    }
  });

  it('on Windows has only folders with a drive, in every spelling of the variable', () => {
    const Path = String.raw`C:\Windows;\tools;tools;.;"C:\Program Files\nodejs";c:\users\ME\Project\bin;D:tools;\\server\share`;
    expect(searchFolders({ ...windows, env: { Path } })).toEqual([
      String.raw`C:\Windows`,
      String.raw`C:\Program Files\nodejs`,
      String.raw`\\server\share`,
    ]);
    expect([String.raw`\tools`, 'C:tools', String.raw`C:\tools`].map((path) => isWholePath(path, 'win32'))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('the environment of a program', () => {
  it('on Windows excludes the current folder, and its names may have any case', () => {
    const env = {
      Path: String.raw`C:\Windows`,
      SYSTEMROOT: String.raw`C:\Windows`,
      Pip_Index_Url: 'x',
      OPENAI_API_KEY: 'k',
    };
    expect(programEnvironment(['pip'], { ...windows, env })).toEqual({
      SYSTEMROOT: String.raw`C:\Windows`,
      Pip_Index_Url: 'x',
      PATH: String.raw`C:\Windows`,
      NoDefaultCurrentDirectoryInExePath: '1',
    });
  });

  it('keeps the variables of a card, and only library folders outside projects', () => {
    const env = {
      PATH: '/usr/bin',
      CUDA_VISIBLE_DEVICES: '0,1',
      CUDA_PATH: '/opt/cuda',
      LD_LIBRARY_PATH: '/opt/cuda/lib::.:lib/own:/p/lib',
      VK_ICD_FILENAMES: '/p/icd.json',
      GGML_VK_VISIBLE_DEVICES: '0',
      CUDA_API_KEY: 'k',
      TMPDIR: 'tmp',
      LD_PRELOAD: '/p/lib.so',
      DYLD_LIBRARY_PATH: '/p',
    };
    const place = { env, platform: 'linux', homeFolder: '/home/me', projects: ['/p'] } as const;
    expect(programEnvironment(['card'], place)).toEqual({
      PATH: '/usr/bin',
      CUDA_VISIBLE_DEVICES: '0,1',
      CUDA_PATH: '/opt/cuda',
      LD_LIBRARY_PATH: '/opt/cuda/lib',
      GGML_VK_VISIBLE_DEVICES: '0',
    });
  });
});
