import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { leaveRoom, smallDisk, underFileLimit } from './limits.ts';
import { command, change, complete, createProgram, ofType, sessionOf, tool } from './program.ts';

describe.skipIf(isWithoutEngine)('a full disk', () => {
  it('under the home ends the run with a clear message, and acknowledged events can be read', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const full = { under: underFileLimit(64 * 1024) };
    // Each of these files gets an image in the home and an event in the log.
    const grow = (round: number): string =>
      `for i in 1 2 3 4 5 6 7 8; do head -c 9000 /dev/urandom | base64 > r${round}-$i.txt; done`;
    await program.script([
      tool('write_file', { path: 'b.txt', content: 'before\n' }),
      ...Array.from({ length: 20 }, (_, round) => command(grow(round))),
      complete(),
    ]);
    const end = await program.startTask(undefined, [], full).ended;
    expect(end.signal).toBeNull();
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/disk is full/i);
    expect(end.stderr).not.toMatch(/at .*\.cjs:\d+/);
    expect(ofType(end.events, 'file-changed').length).toBeGreaterThan(1);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
    const id = sessionOf(end.events);
    const log = await program.log(id);
    expect(log.slice(0, end.events.length)).toEqual(end.events);
    // The disk is still full, but existing sessions can be read. With room again, everything works.
    expect((await program.run(['sessions', 'list'], full)).stdout).toContain(id);
    const shown = await program.run(['sessions', 'show', id]);
    expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: '' });
    expect((await program.run(['changes', id, 'undo'])).code).toBe(0);
    expect(await program.text('b.txt')).toBeNull();
    await program.script([change(), complete()]);
    expect((await program.startTask().ended).code).toBe(0);
  }, 120_000);

  it('under the home from the beginning ends the program with a message', async () => {
    await using program = await createProgram();
    await program.script([complete()]);
    const end = await program.startTask(undefined, [], { under: underFileLimit(0) }).ended;
    expect(end).toMatchObject({ code: 1, signal: null });
    expect(end.stderr).toMatch(/disk is full|no space left/i);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  });

  it('under a file of results does not let them pass as complete', async () => {
    await using program = await createProgram();
    const full = { under: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'] };
    for (const args of [['--help'], ['settings', 'get'], ['sessions', 'list', '--json']]) {
      const end = await program.run(args, full);
      expect(end).toMatchObject({ code: 1, stderr: 'dewpoint: The output could not be written: the disk is full.\n' });
    }
  });

  it('under the project is reported by the tool, keeps the file, and the run goes on', async () => {
    await using program = await createProgram();
    await using disk = await smallDisk(program.project);
    await program.put('a.txt', 'one\n');
    await program.script([
      tool('read_file', { path: 'a.txt' }),
      tool('write_file', { path: 'a.txt', content: 'x'.repeat(700_000) }),
      complete('The disk is full.'),
    ]);
    await leaveRoom(disk.path, 200_000);
    const end = await program.startTask().ended;
    const written = ofType(end.events, 'tool-ended').find((event) => event.tool === 'write_file');
    expect(written?.status).toBe('error');
    expect(written?.output).toContain('disk is full');
    expect(await readFile(join(program.project, 'a.txt'), 'utf8')).toBe('one\n');
    expect(ofType(end.events, 'file-changed')).toEqual([]);
    expect(ofType(end.events, 'turn-ended')).toHaveLength(1);
  });
});
