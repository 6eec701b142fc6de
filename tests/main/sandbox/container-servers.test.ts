import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createContainerServers } from '../../../src/main/sandbox/container-servers.ts';
import { cleanStart } from '../../../src/main/sandbox/server-command.ts';
import { success } from '../../../src/shared/errors.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';
import { serverDefinitionSchema } from '../../../src/shared/tools/server-definition.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const folders: string[] = [];
const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-packages-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

// Catches: a download that was cut off leaves half a package, which then fails at every later start.
describe('the packages of a tool server in a container', () => {
  /** Starts in a folder with this content of the one package that npx got, and returns what is left of it. */
  const leftOf = (...paths: readonly string[]): readonly string[] => {
    const workspace = temporary();
    const npm = join(workspace, '.packages/npm');
    const all = ['_cacache/index', ...paths.map((path) => `_npx/5b2d/${path}`)];
    for (const path of all) {
      mkdirSync(join(npm, path, '..'), { recursive: true });
      writeFileSync(join(npm, path), '');
    }
    const command = cleanStart('echo started').replaceAll('/workspace', workspace);
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe('started\n');
    return all.filter((path) => existsSync(join(npm, path)));
  };
  const [whole, list] = ['node_modules/left-pad/index.js', 'node_modules/.package-lock.json'];

  it('are installed anew where npm did not come to its list, with the downloads kept', () => {
    expect(leftOf(whole)).toEqual(['_cacache/index']);
  });

  it.each(['node_modules/.left-pad-x1y2z3a4/a', 'node_modules/@b/.left-pad-x1y2z3a4/a'])(
    'are installed anew where npm was about to replace one: %s',
    (moved) => expect(leftOf(whole, list, moved)).toEqual(['_cacache/index']),
  );

  it('stay where they are whole', () => {
    const bin = 'node_modules/.bin/left-pad';
    expect(leftOf(whole, list, bin)).toEqual([
      '_cacache/index',
      ...[whole, list, bin].map((path) => `_npx/5b2d/${path}`),
    ]);
  });

  const commandWith = async (hosts: readonly string[]) => {
    const sandbox = createMemorySandbox({ exec: () => ({}) });
    const start = createContainerServers({
      folder: temporary(),
      startSandbox: async () => success(sandbox),
      settings: () => settingsSchema.parse({}).sandbox,
      onNotice: () => undefined,
    });
    const definition = serverDefinitionSchema.parse({ kind: 'stdio', command: 'npx', args: ['x'], hosts });
    if (definition.kind !== 'stdio') throw new Error('not a program');
    const server = await start(
      { name: 'x', definition, env: {}, onOutput: () => undefined },
      new AbortController().signal,
    );
    await server.ended;
    return sandbox.commands;
  };

  it('are looked at only where something can be downloaded', async () => {
    expect(await commandWith(['registry.npmjs.org'])).toEqual([cleanStart("exec 'npx' 'x'")]);
    expect(await commandWith([])).toEqual(["exec 'npx' 'x'"]);
  });
});
