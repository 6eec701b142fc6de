import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createHostServers } from '../../src/main/tools/mcp/server-process.ts';
import { createToolPins, hashOfTool } from '../../src/main/tools/servers/tool-pins.ts';
import { hashOfServer } from '../../src/main/tools/servers/server-switches.ts';
import { createToolServers } from '../../src/main/tools/servers/tool-servers.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';
import { realSignIns, tableSecrets } from '../../tests/fakes/sign-in-kit.ts';
import { call, createAgentKit, turnOptions } from '../../tests/fakes/agent-kit.ts';

const rounds = 10;
const callsPerTurn = 30;

/**
 * The overhead of calls of a connected tool, each in ms: from the model's answer to its next prompt, without the time
 * at the server. The log is in memory.
 */
export async function seamTimes(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let answered = 0;
    let atServer = 0;
    const connected: ConnectedTools = {
      offered: async () => [
        {
          name: 'far__note',
          server: 'far',
          tool: 'note',
          description: 'Notes a text.',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          leaves: true,
          readsFiles: false,
        },
      ],
      call: async () => {
        const from = performance.now();
        await Promise.resolve();
        atServer = performance.now() - from;
        return { status: 'ok', output: 'noted' };
      },
    };
    const replies = Array.from({ length: callsPerTurn }, (_, at) => () => {
      if (at > 0) times.push(performance.now() - answered - atServer);
      answered = performance.now();
      return call('far__note', { text: `note ${at}` });
    });
    const kit = createAgentKit({
      replies,
      dependencies: { tools: { connected }, approver: { ask: async () => 'allow' } },
    });
    await kit.runner.send('Note it.', { ...turnOptions, strategy: 'loop' });
  }
  // Compilation and loading happen once, and are not part of a call.
  return times.slice(callsPerTurn);
}

/** Times of calls over MCP stdio to a program behind the real guard, in ms. */
export async function stdioTimes(count: number): Promise<readonly number[]> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-bench-tools-'));
  const definition = serverDefinitionSchema.parse({
    kind: 'stdio',
    command: process.execPath,
    args: [resolve('tests/fakes/hostile-tool-server.mjs'), 'plain'],
    where: 'host',
  });
  const pins = createToolPins(join(home, 'tools'));
  const servers = createToolServers({
    servers: () => ({ made: { definition, approved: hashOfServer('made', definition), isOn: true, off: [] } }),
    projects: () => ({}),
    pins,
    folder: join(home, 'tools'),
    signIns: realSignIns(home, tableSecrets()),
    secret: async () => null,
    fetch,
    start: createHostServers({
      programs: { ...createHostPrograms({ home, env: process.env }), isOutside: async () => true },
      nodePath: process.execPath,
      guardPath: resolve('src/main/models/engine/server-guard.ts'),
    }),
    version: '1',
    now: Date.now,
  });
  const { signal } = new AbortController();
  try {
    const listed = (await servers.connect('made', signal)).tools();
    await pins.change('made', () =>
      listed.map((tool) => ({ definition: tool, sha256: hashOfTool(tool), approvedAt: 1, lastUsedAt: null })),
    );
    const tools = servers.forProject(null);
    const [offered] = await tools.offered();
    const spec = offered?.spec;
    if (spec === undefined) throw new Error('no tool');
    const times: number[] = [];
    for (let at = 0; at < count + 20; at += 1) {
      const from = performance.now();
      const { status } = await tools.call(spec, { text: `note ${at}` }, { signal, onProgress: () => undefined });
      if (status !== 'ok') throw new Error('a call failed');
      times.push(performance.now() - from);
    }
    return times.slice(20);
  } finally {
    await servers.dispose();
    rmSync(home, { recursive: true, force: true });
  }
}
