import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { sampled } from '../fakes/sampled.ts';
import { hostileServer, isAlive, pidsIn } from '../fakes/tool-server-scene.ts';
import { bundleChild } from './bundle-child.ts';
import { checkCrashed } from './check-crashed.ts';
import { killAt } from './kill-at.ts';
import { openMemoryCore } from './memory-core.ts';
import { follow, node, ofType, readLog, tool, type Running } from './program.ts';

const kills = sampled(200, 4);
const neverAborted = new AbortController().signal;

let folder = '';
let child = '';
let home = '';
let notes = '';

const replies = [
  tool('made__say', { text: 'one' }, 4),
  tool('count', { path: 'calc.py' }, 4),
  tool('web_read', { url: 'https://dewpoint.invalid/', why: 'a test' }, 4),
  tool('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }, 4),
  tool('made__say', { text: 'three' }, 4),
  tool('task_complete', { summary: 'It adds now.' }, 4),
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-tools-kill-'));
  home = join(folder, 'home');
  notes = join(folder, 'notes.txt');
  await writeFile(notes, '');
  child = await bundleChild('tests/faults/tools-kill-child.ts', folder);
  const guard = join(folder, 'guard');
  await mkdir(guard);
  await copyFile(
    await bundleChild('src/main/models/engine/server-guard.ts', guard),
    join(child, '..', 'server-guard.cjs'),
  );
  await setUp();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server with a grandchild that sends a form in each call, an own tool, and the web: all approved and on. */
async function setUp(): Promise<void> {
  const core = await openMemoryCore(home);
  const { settings, tools, ownTools } = core.client;
  await settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
  await settings.set({ key: 'local', value: 'script/script' });
  await settings.set({ key: 'web.read', value: true });
  await ownTools.create({ name: 'count', language: 'sh' });
  const args = [hostileServer, 'asks-once', notes];
  await tools.add({ name: 'made', definition: { kind: 'stdio', command: node, args, where: 'host' } });
  await core.dispose();
  // The child approves, because only its core has a built server guard.
  const approving = spawn(node, [child, home, 'approve'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const { code, stderr } = await follow(approving, false).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

const start = (): Running =>
  follow(spawn(node, [child, home], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }), true);
const sessionIds = (): Promise<string[]> => readdir(join(home, 'sessions')).catch(() => []);
const noted = (): Promise<string> => readFile(notes, 'utf8');

describe('a run with tools from everywhere, killed -9', () => {
  it(`at ${kills} moments loses nothing acknowledged, repeats no call, and replays without a server`, async () => {
    const random = seeded(200);
    const before = performance.now();
    const whole = await start().ended;
    expect({ code: whole.code, stderr: whole.stderr }).toEqual({ code: 0, stderr: '' });
    const used = ofType(whole.events, 'tool-started').map((event) => event.tool);
    expect(used.filter((name) => /made__say|count|web_read/u.test(name)).join(' ')).toMatch(
      /^made__say \S*count web_read made__say$/u,
    );
    expect(ofType(whole.events, 'tool-ended').filter(({ status }) => status === 'ok').length).toBe(used.length - 1);
    expect(ofType(whole.events, 'approval-requested').some(({ kind }) => kind === 'server-form')).toBe(true);
    const times = { milliseconds: performance.now() - before, events: whole.events.length };
    const known = new Set(await sessionIds());
    const seen = { crashed: 0, inCall: 0 };
    for (let round = 0; round < kills; round += 1) {
      const running = start();
      await killAt(running, random, times);
      const { events, stderr } = await running.ended;
      expect(stderr).toBe('');
      await expect.poll(async () => pidsIn(await noted()).filter(isAlive)).toEqual([]);
      const session = (await sessionIds()).find((name) => !known.has(name));
      if (session === undefined) {
        expect(events).toEqual([]);
        continue;
      }
      known.add(session);
      const left = await readLog(home, session);
      const asked = await noted();
      const core = await openMemoryCore(home);
      if (left.length > 0) {
        await core.client.sessions.show({ sessionId: session });
        await core.client.changes.show({ sessionId: session, paths: [] });
        const report = await core.client.sessions.replay({ sessionId: session }, { signal: neverAborted });
        expect([report.firstDifference, report.matched]).toEqual([null, true]);
      }
      await core.dispose();
      // Neither opening nor replay started or called a server.
      expect(await noted()).toBe(asked);
      const opened = await readLog(home, session);
      checkCrashed({ acknowledged: events, left, opened });
      if (ofType(opened, 'turn-ended').at(-1)?.reason === 'crashed') seen.crashed += 1;
      if (ofType(opened, 'tool-ended').some(({ status }) => status === 'unknown')) seen.inCall += 1;
    }
    expect(seen.crashed).toBeGreaterThanOrEqual(Math.floor(kills / 4));
    // With only a few kills, none may hit a call.
    if (kills > 50) expect(seen.inCall).toBeGreaterThan(0);
    // A busy machine took nine minutes for 200 kills.
  }, 1_800_000);
});
