import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobs } from '../../src/main/sessions/blobs.ts';
import { makeHome } from '../main/sessions/session-fixtures.ts';
import { seeded } from '../../bench/lib/seeded.ts';

let folder = '';
let program = '';

/** The program that is killed: one bundle, as the sources themselves need a resolver for `@shared`. */
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

/** Runs the child until `killAfter` events were acknowledged, and a moment more; gives the last acknowledged number. */
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
    // 'close': everything that it wrote before it died has been read.
    child.on('close', () => done(acknowledged));
  });
}

describe('a process killed while it appends', () => {
  it('at 50 random points loses no acknowledged event, and the session opens and goes on', async () => {
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
    for (let round = 0; round < 50; round += 1) {
      const acknowledged = await runAndKill(home.path, id, before + 1 + Math.floor(random() * 60), random() * 4);
      expect(acknowledged).toBeGreaterThan(before);
      const again = await home.again().open(id);
      const state = again.state();
      expect(state.seq).toBeGreaterThanOrEqual(acknowledged);
      expect(state.turns.every((turn) => turn.reason !== null)).toBe(true);
      const seqs: number[] = [];
      for await (const event of again.read()) seqs.push(event.seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      before = state.seq;
      await again.close();
      expect((await readdir(sessionFolder)).sort()).toEqual(['events.jsonl', 'snapshot.json', 'summary.json']);
      expect((await stat(join(sessionFolder, 'snapshot.json'))).size).toBeLessThan(1_000_000);
    }
    const blobs = createBlobs(join(home.path, 'blobs'));
    for await (const event of (await home.store.view(id, 'whole')).read()) {
      if (event.type === 'file-changed' && event.after?.kept) expect(await blobs.get(event.after.blob)).not.toBeNull();
    }
  });
});
