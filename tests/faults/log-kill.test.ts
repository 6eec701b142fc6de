import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import { createBlobs } from '../../src/main/sessions/blobs/blob-store.ts';
import { sealRecord } from '../../src/main/sessions/log/log-record.ts';
import { noticeEvent } from '../main/sessions/log-fixtures.ts';
import { makeHome } from '../main/sessions/session-fixtures.ts';
import { seeded } from '../../bench/lib/seeded.ts';
import { sampled } from '../fakes/sampled.ts';

let folder = '';
let program = '';

/** The program that is killed. It is one bundle, because the sources themselves need a resolver for `@shared`. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-kill-'));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    build: {
      ssr: resolve('tests/faults/log-kill-child.ts'),
      outDir: folder,
      rollupOptions: { output: { format: 'es', entryFileNames: 'child.mjs' } },
    },
    ssr: { noExternal: true },
  });
  program = join(folder, 'child.mjs');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Runs the child until `killAfter` events were acknowledged, and a moment longer. Returns the last acknowledged number.
 */
function runAndKill(home: string, session: string, killAfter: number, delayMs: number): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, home, session], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = 0;
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      acknowledged = Number(lines.at(-1) ?? acknowledged);
      if (acknowledged >= killAfter) setTimeout(() => child.kill('SIGKILL'), delayMs);
    });
    child.on('error', fail);
    // 'close': everything that it wrote before it died was read.
    child.on('close', () => done(acknowledged));
  });
}

/**
 * The system cuts the write of a killed process between two pages, so the beginning of a record may remain. Kills
 * rarely hit one here, so every fifth round adds such a beginning, each time of another length.
 */
async function tearEnd(folder: string, round: number, acknowledged: number): Promise<void> {
  if (round % 5 !== 0) return;
  const log = join(folder, 'events.jsonl');
  const written = await readFile(log, 'utf8');
  if (!written.endsWith('\n')) return;
  const seq = Number(/"seq":(\d+)/.exec(written.split('\n').at(-2) ?? '')?.[1]) + 1;
  expect(seq).toBeGreaterThan(acknowledged);
  const line = sealRecord(noticeEvent(seq, 'y'.repeat(5000)));
  await appendFile(log, line.subarray(0, 1 + ((round * 1009) % (line.length - 2))));
}

/** What a round moved aside is the beginning of one unacknowledged record, as the log itself says. */
async function checkMoved(
  folder: string,
  moved: readonly string[],
  acknowledged: number,
  events: readonly SessionEvent[],
): Promise<void> {
  expect(moved.length).toBeLessThanOrEqual(1);
  for (const name of moved) {
    const text = await readFile(join(folder, name), 'utf8');
    expect(text).not.toContain('\n');
    const seq = /"seq":(\d+),/.exec(text)?.[1];
    if (seq !== undefined) expect(Number(seq)).toBeGreaterThan(acknowledged);
    const said = events.find((event) => event.type === 'session-repaired' && event.movedTo === name);
    expect(said).toMatchObject({ movedBytes: Buffer.byteLength(text), reason: 'the last record is cut off' });
  }
}

const kills = sampled(50, 20);

describe('a process killed while it appends', () => {
  it(`at ${kills} random points loses no acknowledged event, and its session opens and goes on`, async () => {
    await using home = await makeHome();
    const random = seeded(4);
    const journal = await home.store.create({
      title: 'kill',
      projectPath: null,
      workspace: { mode: 'scratch', path: '/nowhere' },
    });
    const id = journal.sessionId;
    await journal.close();
    const sessionFolder = home.store.folderOf(id);
    let before = 1;
    const known = new Set<string>();
    for (let round = 0; round < kills; round += 1) {
      const acknowledged = await runAndKill(home.path, id, before + 1 + Math.floor(random() * 60), random() * 4);
      expect(acknowledged).toBeGreaterThan(before);
      await tearEnd(sessionFolder, round, acknowledged);
      const again = await home.again().open(id);
      const state = again.state();
      expect(state.seq).toBeGreaterThanOrEqual(acknowledged);
      expect(state.turns.every((turn) => turn.reason !== null)).toBe(true);
      const events: SessionEvent[] = [];
      for await (const event of again.read()) events.push(event);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      before = state.seq;
      await again.close();
      const names = (await readdir(sessionFolder)).sort();
      const moved = names.filter((name) => /^events\.damaged-\d+\.bin$/.test(name));
      const fresh = moved.filter((name) => !known.has(name));
      await checkMoved(sessionFolder, fresh, acknowledged, events);
      for (const name of fresh) known.add(name);
      expect(names).toEqual([...moved, 'events.jsonl', 'snapshot.json', 'summary.json']);
      expect((await stat(join(sessionFolder, 'snapshot.json'))).size).toBeLessThan(1_000_000);
    }
    expect(known.size).toBeGreaterThanOrEqual(sampled(10, 2));
    const blobs = createBlobs(join(home.path, 'blobs'));
    for await (const event of (await home.store.view(id, 'whole')).read()) {
      if (event.type === 'file-changed' && event.after?.kept) expect(await blobs.get(event.after.blob)).not.toBeNull();
    }
  });
});
