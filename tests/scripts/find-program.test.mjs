import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { searchFolders as ofProgram } from '../../src/main/lib/programs/search-path.ts';
import { searchFolders } from '../../scripts/setup/find-program.mjs';

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-find-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

// Catches: a rule that became stricter in the scripts or in the program, but not in both.
it('the scripts look for programs in the same folders as the app', () => {
  const [project, tools] = [join(base, 'project'), join(base, 'tools')];
  for (const folder of [join(project, 'bin'), tools]) mkdirSync(folder, { recursive: true });
  symlinkSync(project, join(base, 'link'));
  const own = ['', '.', 'bin', project, join(project, 'bin'), join(base, 'link/bin'), join(base, 'node_modules/.bin')];
  const env = { PATH: [...own, tools, '/usr/bin', join(homedir(), '.local/bin')].join(':') };
  for (const current of [project, base, homedir(), '/', '/usr']) {
    const place = { env, platform: process.platform, homeFolder: homedir(), projects: [current] };
    expect([current, searchFolders(env, current)]).toEqual([current, ofProgram(place)]);
  }
});
