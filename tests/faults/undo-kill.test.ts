import { spawn } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { success } from '../../src/shared/errors.ts';
import { syncedTypes } from '../../src/main/sessions/log/event-log.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { sampled } from '../fakes/sampled.ts';
import { createFolderSandbox } from '../fakes/sandbox/folder-sandbox.ts';
import { bundleChild } from './bundle-child.ts';
import { follow, node, ofType, tool, type Running } from './program.ts';

const kills = sampled(1_000, 12);

let folder = '';
let child = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-undo-kill-')));
  child = await bundleChild('tests/faults/undo-kill-child.ts', folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const names = ['a.txt', 'b.bin', 'src/c.py', 'src/deep/d.md', 'empty', 'with space.txt', 'größe.txt', "it's.txt"];

/** Commands that change, replace, move, remove and make files, and that never end by themselves. */
function commandOf(random: () => number): string {
  const pick = (): string =>
    `'${(names[Math.floor(random() * names.length)] ?? '').replaceAll("'", String.raw`'\''`)}'`;
  const steps = Array.from({ length: 6 }, () => {
    const kind = Math.floor(random() * 6);
    const [one, other] = [pick(), pick()];
    if (kind === 0) return `head -c 3000 /dev/urandom > ${one}`;
    if (kind === 1) return `rm -f ${one}`;
    if (kind === 2) return `mv -f ${one} ${other}`;
    if (kind === 3) return `printf more >> ${one}`;
    if (kind === 4) return `mkdir -p new; cp ${one} new/made-${Math.floor(random() * 9)}`;
    return `: > ${one}; chmod 600 ${one}`;
  });
  return `while true; do ${steps.map((step) => `${step} 2>/dev/null; sleep 0.00${Math.floor(random() * 9)}`).join('; ')}; done`;
}

type Files = ReadonlyMap<string, { readonly bytes: Buffer; readonly mode: number }>;

async function filesOf(root: string): Promise<Files> {
  const found = new Map<string, { bytes: Buffer; mode: number }>();
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(root.length + 1), { bytes: await readFile(path), mode: (await stat(path)).mode });
  }
  return found;
}

/** Bytes of a person that are not as they were. */
function lostBytes(before: Files, after: Files): number {
  let lost = 0;
  for (const [path, { bytes, mode }] of before) {
    const now = after.get(path);
    if (now === undefined || Buffer.compare(now.bytes, bytes) !== 0 || now.mode !== mode)
      lost += Math.max(1, bytes.length);
  }
  return lost;
}

async function makeProject(project: string, random: () => number): Promise<void> {
  await mkdir(join(project, 'src', 'deep'), { recursive: true });
  for (const name of names) {
    const size = name === 'empty' ? 0 : Math.floor(random() * 5_000);
    await writeFile(join(project, name), Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256))));
  }
}

const open = (home: string): Promise<ClientCore> =>
  openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    env: {},
    startSandbox: async ({ workspacePath }) => success(createFolderSandbox(workspacePath)),
  });

const ends = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'twice', 'power'] as const;

/** Ends the program, and with it the command, as a container does. */
async function end(running: Running, how: (typeof ends)[number], random: () => number): Promise<void> {
  const { pid = 0 } = running.child;
  if (how === 'SIGKILL' || how === 'power') process.kill(-pid, 'SIGKILL');
  else if (how === 'twice') {
    running.child.kill('SIGTERM');
    await wait(random() * 20);
    running.child.kill('SIGTERM');
  } else running.child.kill(how);
}

/** What a disk may have lost without power: everything that nobody waited for. */
async function losePower(session: string, random: () => number): Promise<void> {
  const log = join(session, 'events.jsonl');
  const text = await readFile(log, 'utf8');
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => [...syncedTypes].some((type) => line.includes(`"type":"${type}"`)));
  await truncate(log, Buffer.byteLength(`${lines.slice(0, last + 1).join('\n')}\n`));
  const torn = Buffer.from(Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
  const pack = join(session, 'before.pack');
  if ((await stat(pack).catch(() => null)) !== null) await appendFile(pack, torn);
}

describe('undo after a killed program', () => {
  it(`at ${kills} random moments, by every signal and without power, loses no byte of the person`, async () => {
    const random = seeded(31);
    let lost = 0;
    let changed = 0;
    const kinds = new Map<string, number>();
    for (let round = 0; round < kills; round += 1) {
      const home = join(folder, `home-${round}`);
      const project = join(folder, `project-${round}`);
      await makeProject(project, random);
      const before = await filesOf(project);
      const writes = [
        tool('write_file', { path: 'made/by-tool.txt', content: 'made\n' }),
        tool('run_command', { command: 'printf short >> a.txt; rm -f b.bin', why: 'a test' }),
      ];
      const replies = [
        ...writes.slice(0, Math.floor(random() * 3)),
        tool('run_command', { command: commandOf(random), why: 'a test' }),
      ];
      await mkdir(home, { recursive: true });
      const settings = { local: 'script/script', providers: { script: { kind: 'scripted', replies } } };
      await writeFile(join(home, 'settings.json'), JSON.stringify({ version: 1, ...settings }));
      const started = spawn(node, [child, home, project], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      const running = follow(started, true);
      const how = ends[round % ends.length] ?? 'SIGKILL';
      await running.until('tool-started', (event) => random() < 0.1 || event.tool === 'run_command');
      await wait(random() * 500);
      await end(running, how, random);
      const ended = await running.ended;
      const [sessionId = ''] = await readdir(join(home, 'sessions'));
      if (how === 'power') await losePower(join(home, 'sessions', sessionId), random);
      const isChanged = lostBytes(before, await filesOf(project)) > 0;
      if (isChanged) changed += 1;
      const core = await open(home);
      const changes = await core.client.changes.show({ sessionId, paths: [] });
      expect({ round, how, stderr: ended.stderr, hasChanges: !isChanged || changes.length > 0 }).toEqual({
        round,
        how,
        stderr: '',
        hasChanges: true,
      });
      const outcome = await core.client.changes.undo({ sessionId, paths: [] });
      await core.dispose();
      const after = await filesOf(project);
      const gone = lostBytes(before, after);
      if (gone > 0) kinds.set(`${how}: ${JSON.stringify(outcome)}`, gone);
      lost += gone;
      expect([...after.keys()].filter((path) => !before.has(path))).toEqual([]);
      expect(ofType(ended.events, 'tool-started').length).toBeGreaterThan(0);
      await rm(home, { recursive: true, force: true });
      await rm(project, { recursive: true, force: true });
    }
    // The proof would be empty if nothing had been changed by then.
    expect(changed).toBeGreaterThan(kills / 4);
    expect({ lost, kinds: [...kinds] }).toEqual({ lost: 0, kinds: [] });
  }, 3_600_000);
});
