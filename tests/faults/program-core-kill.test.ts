import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { bundleChild } from './bundle-child.ts';
import { checkCrashed } from './check-crashed.ts';
import { killAt } from './kill-at.ts';
import { memoryScript, openMemoryCore } from './memory-core.ts';
import { follow, node, readLog, type Running } from './program.ts';
import { sampled } from '../fakes/sampled.ts';

/** 200 in all, with the 25 of `program-kill.test.ts`, which runs in containers. */
const kills = sampled(175, 40);
const neverAborted = new AbortController().signal;

let folder = '';
let child = '';
let home = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-core-kill-'));
  home = join(folder, 'home');
  child = await bundleChild('tests/faults/core-kill-child.ts', folder);
  await writeSettings();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function writeSettings(): Promise<void> {
  const core = await openMemoryCore(home);
  await core.client.settings.set({ key: 'providers.script', value: memoryScript });
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  await core.dispose();
}

const start = (session: string): Running =>
  follow(spawn(node, [child, home, session], { stdio: ['ignore', 'pipe', 'pipe'] }), true);

const sessionIds = (): Promise<string[]> => readdir(join(home, 'sessions')).catch(() => []);

describe('the core, killed -9 in the middle of a run', () => {
  it(`at ${kills} random moments loses nothing acknowledged, and its session opens, replays and goes on`, async () => {
    const random = seeded(175);
    const before = performance.now();
    const whole = await start('').ended;
    expect({ code: whole.code, stderr: whole.stderr }).toEqual({ code: 0, stderr: '' });
    const times = { milliseconds: performance.now() - before, events: whole.events.length };
    const known = new Set(await sessionIds());
    const reasons = new Map<string, number>();
    let session = '';
    for (let round = 0; round < kills; round += 1) {
      // Every other task continues the session of a killed process.
      session = round % 2 === 0 ? '' : session;
      const from = session === '' ? 0 : (await readLog(home, session)).length;
      const running = start(session);
      await killAt(running, random, times, from);
      const { events, stderr } = await running.ended;
      expect(stderr).toBe('');
      const found = (await sessionIds()).find((name) => !known.has(name));
      session = found ?? session;
      if (session === '') {
        expect(events).toEqual([]);
        continue;
      }
      known.add(session);
      const left = await readLog(home, session);
      const core = await openMemoryCore(home);
      const end = await openAgain(core, session, left.length > 0);
      await core.dispose();
      checkCrashed({ acknowledged: events, left, opened: await readLog(home, session) });
      reasons.set(end, (reasons.get(end) ?? 0) + 1);
      if (left.length === 0) session = '';
    }
    expect(reasons.get('crashed')).toBeGreaterThan(kills / 3);
  }, 400_000);
});

/** Opens a session as its next user would. Returns how its last turn ended. */
async function openAgain(
  core: Awaited<ReturnType<typeof openMemoryCore>>,
  session: string,
  hasLog: boolean,
): Promise<string> {
  expect((await core.client.sessions.list()).length).toBeGreaterThan(0);
  if (!hasLog) return 'no log';
  await core.client.sessions.show({ sessionId: session });
  await core.client.changes.show({ sessionId: session, paths: [] });
  const report = await core.client.sessions.replay({ sessionId: session }, { signal: neverAborted });
  expect(report.firstDifference).toBeNull();
  expect(report.matched).toBe(true);
  return (await core.client.sessions.show({ sessionId: session })).state.turns.at(-1)?.reason ?? 'no turn';
}
