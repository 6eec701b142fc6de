import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import { loginShell, pathPrinted } from '../../../../src/main/lib/programs/login-path.ts';

let base = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-login-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function script(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** A user whose login shell adds a folder with a program. The app starts from the desktop, without a terminal. */
async function person(login: string, more: Record<string, string> = {}) {
  await script(join(base, 'extra', 'made-tool'), '#!/bin/sh\nprintf %s "$PATH"\n');
  await script(join(base, 'person', '.profile'), login);
  const env = { HOME: join(base, 'person'), SHELL: '/bin/sh', PATH: '/usr/bin:/bin', ...more };
  return createHostPrograms({ home: join(base, 'home'), env });
}

const never = new AbortController().signal;

describe.runIf(process.platform !== 'win32')('the PATH of an app that was started from the desktop', () => {
  // Catches: a server that works in a terminal but is not found by the app, or does not find its own programs.
  it("gets the folders of the person's shell once somebody asks", async () => {
    const programs = await person(`echo Welcome; PATH="$PATH:${join(base, 'extra')}"; export PATH`);
    expect(await programs.find('made-tool')).toBeNull();
    await programs.widenPath();
    expect(await programs.find('made-tool')).toBe(join(base, 'extra', 'made-tool'));
    const { stdout } = await programs.run(['made-tool'], [], { needs: [], signal: never });
    expect(stdout.startsWith('/usr/bin:/bin:')).toBe(true);
    expect(stdout.endsWith(`:${join(base, 'extra')}`)).toBe(true);
  });

  it('stays the same when the shell is unknown, fails or says nothing', async () => {
    for (const programs of [
      await person('exit 1'),
      await person('', { SHELL: 'sh' }),
      await person('', { TERM: 'x' }),
    ]) {
      await programs.widenPath();
      expect(await programs.find('made-tool')).toBeNull();
      expect(await programs.find('sh')).not.toBeNull();
    }
  });
});

describe('the shell of the person', () => {
  it('is asked only if it is known, named by its whole path, and outside a terminal', () => {
    expect(loginShell({ SHELL: '/bin/zsh' }, 'darwin')).toBe('/bin/zsh');
    expect(loginShell({ SHELL: '/bin/zsh', TERM: 'xterm' }, 'darwin')).toBeNull();
    expect(loginShell({ SHELL: '/opt/made' }, 'linux')).toBeNull();
    expect(loginShell({ SHELL: '/bin/bash' }, 'win32')).toBeNull();
    expect(loginShell({}, 'linux')).toBeNull();
  });

  it('may print other text, too', () => {
    expect(pathPrinted('hi\nDEWPOINT-ENVIRONMENT\nA=1\nPATH=/a:/b\nDEWPOINT-ENVIRONMENT\n')).toBe('/a:/b');
    expect(pathPrinted('PATH=/planted\n')).toBeNull();
  });
});
