import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createContainerServers } from '../../src/main/sandbox/container-servers.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import { connectMcp } from '../../src/main/tools/mcp/mcp-connection.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import { success } from '../../src/shared/errors.ts';
import { standInInternet } from '../fakes/stand-in-internet.ts';
import { imageSource, isWithoutEngine, none, startSandbox } from './docker-kit.ts';

const home = mkdtempSync(join(tmpdir(), 'dewpoint-tool-servers-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(isWithoutEngine)('a tool server in a container', () => {
  it('is reached through its pipes, gets the variables it asked for, and ends', async () => {
    const folder = join(home, 'workspaces', 'tools-box');
    mkdirSync(folder, { recursive: true });
    copyFileSync(resolve('tests/fakes/hostile-tool-server.mjs'), join(folder, 'server.mjs'));
    const start = createContainerServers({
      folder: join(home, 'workspaces'),
      startSandbox: createSandboxFactory({
        homePath: home,
        resourcesPath: imageSource.resourcesPath,
        imageScript: imageSource.script,
        env: process.env,
        connection: () => ({ proxy: null, certificates: null }),
      }),
      settings: () => settingsSchema.parse({}).sandbox,
      onNotice: () => undefined,
    });
    const connection = await connectMcp(
      {
        name: 'box',
        definition: serverDefinitionSchema.parse({
          kind: 'stdio',
          command: 'node',
          args: ['server.mjs', 'env'],
          env: ['ASKED_FOR'],
        }),
        secrets: { ASKED_FOR: 'value' },
        fetch,
        start,
        version: '1',
        onChanged: () => undefined,
      },
      none,
    );
    const { output } = await connection.call('say', { text: 'x' }, { signal: none, onProgress: () => undefined });
    expect(output).toContain('"ASKED_FOR":"value"');
    expect(output).toContain('"cwd":"/workspace"');
    expect(output).not.toContain(home);
    await connection.close();
    expect(connection.isOpen()).toBe(false);
  }, 120_000);

  it('reaches only the hosts of its definition, for as long as it lives', async () => {
    const internet = await standInInternet({
      names: { 'files.example.org': [['203.0.113.7']], 'other.example.org': [['203.0.113.8']] },
      answer: (request, response) => response.end(`answer to ${request.url}`),
    });
    const under = await startSandbox({ outward: internet.outward });
    await under.put('server.mjs', readFileSync(resolve('tests/fakes/hostile-tool-server.mjs'), 'utf8'));
    const start = createContainerServers({
      folder: join(home, 'workspaces'),
      startSandbox: async () => success(under.sandbox),
      settings: () => settingsSchema.parse({}).sandbox,
      onNotice: () => undefined,
    });
    const connect = (hosts: readonly string[]) =>
      connectMcp(
        {
          name: 'net',
          definition: serverDefinitionSchema.parse({
            kind: 'stdio',
            command: 'node',
            args: ['server.mjs', 'fetch'],
            hosts,
          }),
          secrets: {},
          fetch,
          start,
          version: '1',
          onChanged: () => undefined,
        },
        none,
      );
    const connection = await connect(['files.example.org']);
    const ask = async (...urls: readonly string[]) =>
      JSON.parse((await connection.call('say', { text: urls.join(' ') }, { signal: none, onProgress })).output);
    const onProgress = (): void => undefined;
    expect(await ask('https://files.example.org/a')).toEqual(['answer to /a']);
    // The proxy itself answers for what it blocks. None of these answers comes from the hosts.
    const refused = await ask('https://other.example.org/b', 'https://203.0.113.8/', 'http://169.254.169.254/');
    expect(JSON.stringify(refused)).not.toContain('answer to');
    expect(await ask('https://files.example.org/again')).toEqual(['answer to /again']);
    await connection.close();
    const { containers } = await under.leftovers();
    expect(containers.length).toBeLessThanOrEqual(1);
    await under.close();
    await internet.close();
  }, 120_000);
});
