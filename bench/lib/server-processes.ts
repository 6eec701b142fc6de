import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createHostServers } from '../../src/main/tools/mcp/server-process.ts';
import { hostileServer, isAlive } from '../../tests/fakes/tool-server-scene.ts';
import type { BenchRow } from './rows.ts';

const together = 4;
/** A process that was told to end must be gone within this time. */
const settleMs = 5_000;
const modes = ['grandchild', 'escapes'] as const;

/**
 * Starts and ends programs that start children, half of which leave their group and their parent. Counts the survivors.
 */
export async function processRows(starts: number): Promise<readonly BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-processes-'));
  const notes = join(home, 'notes.txt');
  writeFileSync(notes, '');
  const start = createHostServers({
    programs: { ...createHostPrograms({ home, env: process.env }), isOutside: async () => true },
    nodePath: process.execPath,
    guardPath: resolve('out', 'main', 'server-guard.cjs'),
  });
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < starts) {
      const mode = modes[begun % modes.length] ?? 'grandchild';
      begun += 1;
      await startAndEnd(start, [hostileServer, mode, notes]);
    }
  };
  try {
    await Promise.all(Array.from({ length: together }, work));
    const pids = [...readFileSync(notes, 'utf8').matchAll(/(?:started|child) (\d+)/gu)].map(([, pid]) => Number(pid));
    const until = performance.now() + settleMs;
    while (pids.some(isAlive) && performance.now() < until) await new Promise((done) => setTimeout(done, 50));
    const note = `${pids.length} processes in all; half of the servers start one that leaves its group and its parent`;
    const figure = `processes left after ${starts} starts and ends of servers with grandchildren`;
    return [{ figure, value: pids.filter(isAlive).length, unit: '', target: { atMost: 0 }, note }];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Ends the program after its first output, because its grandchild runs by then. */
async function startAndEnd(start: ReturnType<typeof createHostServers>, args: readonly string[]): Promise<void> {
  let hear: () => void = () => undefined;
  const heard = new Promise<void>((done) => {
    hear = done;
  });
  const definition = serverDefinitionSchema.parse({ kind: 'stdio', command: process.execPath, args, where: 'host' });
  if (definition.kind !== 'stdio') return;
  const one = await start({ name: 'made', definition, env: {}, onOutput: () => hear() }, new AbortController().signal);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  await one.write(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`));
  await Promise.race([heard, one.ended]);
  await one.close();
}
