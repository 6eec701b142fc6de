import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/main/lib/log.ts';
import { createContainerServers } from '../../src/main/sandbox/container-servers.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import { connectMcp } from '../../src/main/tools/mcp/mcp-connection.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import { imageSource, isWithoutEngine, none } from './docker-kit.ts';

const home = mkdtempSync(join(tmpdir(), 'dewpoint-tool-servers-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(isWithoutEngine)('a tool server in a container', () => {
  it('is reached through its pipes, gets the variables it asked for and stands in its own folder, and ends', async () => {
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
        log: silentLog,
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
});
