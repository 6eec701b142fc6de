import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createContainerServers } from '../../../src/main/sandbox/container-servers.ts';
import { cleanStart, finishStart } from '../../../src/main/sandbox/server-command.ts';
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
  const begin = (workspace: string, command: string) =>
    execFileSync('sh', ['-c', command.replaceAll('/workspace', workspace)], { encoding: 'utf8' });

  it('are installed anew where the last start ended before the server spoke, with the downloads kept', () => {
    const workspace = temporary();
    const [half, download] = ['npm/_npx/5b2d/package.json', 'npm/_cacache/index'].map((path) =>
      join(workspace, '.packages', path),
    );
    begin(workspace, cleanStart('true'));
    for (const path of [half ?? '', download ?? '']) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, '');
    }
    expect(begin(workspace, cleanStart('echo started'))).toBe('started\n');
    expect([half, download].map((path) => existsSync(path ?? ''))).toEqual([false, true]);
  });

  it('stay where the server spoke', () => {
    const workspace = temporary();
    const whole = join(workspace, '.packages/python/bin/python');
    begin(workspace, cleanStart('true'));
    mkdirSync(join(whole, '..'), { recursive: true });
    writeFileSync(whole, '');
    begin(workspace, finishStart);
    begin(workspace, cleanStart('true'));
    expect(existsSync(whole)).toBe(true);
  });

  const startWith = async (stdout: string, hosts: readonly string[]) => {
    const sandbox = createMemorySandbox({
      exec: ({ command }) => ({ stdout: command === finishStart ? '' : stdout, stderr: 'npm notice\n' }),
    });
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

  it('count as whole once the server has spoken, and not by words of its package runner', async () => {
    expect(await startWith('{"jsonrpc":"2.0"}\n', ['registry.npmjs.org'])).toContain(finishStart);
    expect(await startWith('', ['registry.npmjs.org'])).toEqual([cleanStart("exec 'npx' 'x'")]);
  });

  it('are not looked for where nothing can be downloaded', async () => {
    expect(await startWith('{"jsonrpc":"2.0"}\n', [])).toEqual(["exec 'npx' 'x'"]);
  });
});
