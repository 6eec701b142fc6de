import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { seeded } from '../../bench/lib/seeded.ts';
import { checkCrashed } from './check-crashed.ts';
import { killAt, killInCommand, type Whole } from './kill-at.ts';
import { command, complete, createProgram, ofType, type Program, tool } from './program.ts';
import { sampled } from '../fakes/sampled.ts';

const kills = sampled(25, 8);
const reads = sampled(20, 1);

const work = [
  tool('read_file', { path: 'notes.txt' }),
  command('echo first > made.txt; sleep 0.4'),
  tool('write_file', { path: 'notes.txt', content: 'two\n' }),
  command('(sleep 300 &) ; setsid sleep 300 & sleep 0.1; cat notes.txt'),
  tool('write_file', { path: 'more.txt', content: 'more\n' }),
  complete(),
];

/** The length of a whole run on this machine now. */
async function wholeRun(program: Program): Promise<Whole> {
  const started = performance.now();
  const { code, events } = await program.startTask().ended;
  expect(code).toBe(0);
  return { milliseconds: performance.now() - started, events: events.length };
}

describe.skipIf(isWithoutEngine)('the program, killed -9 in the middle of a run', () => {
  it(`at ${kills} random moments loses nothing acknowledged, and the next start leaves no container`, async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    await program.script(work);
    const whole = await wholeRun(program);
    const random = seeded(20);
    const seen = { cut: 0, unknown: 0 };
    const known = new Set(await program.sessionIds());
    for (let round = 0; round < kills; round += 1) {
      await program.put('notes.txt', 'one\n');
      const running = program.startTask();
      await (round % 5 === 4 ? killInCommand(running, random, 200) : killAt(running, random, whole));
      const { events, signal } = await running.ended;
      const [id] = (await program.sessionIds()).filter((name) => !known.has(name));
      if (id === undefined) {
        expect(events).toEqual([]);
        continue;
      }
      known.add(id);
      const left = await program.log(id).catch(() => []);
      const shown = await program.run(['sessions', 'show', id]);
      if (left.length === 0 && events.length === 0) {
        // Killed after the folder was created and before the first event was written. There is no session, and the
        // output says so.
        expect(shown.stderr).toMatch(/No sessions yet|was not found/);
        expect(shown.code).not.toBe(0);
        continue;
      }
      expect(shown.stderr).toBe('');
      expect(shown.code).toBe(0);
      expect((await program.run(['changes', id, 'undo'])).stderr).not.toMatch(/not changed/);
      const opened = await program.log(id);
      checkCrashed({ acknowledged: events, left, opened });
      if (signal === 'SIGKILL' && left.at(-1)?.type !== 'turn-ended') seen.cut += 1;
      if (opened.some((event) => event.type === 'tool-ended' && event.status === 'unknown')) seen.unknown += 1;
      // The next start: another task of this home, which cleans up before it begins.
      if (round % 3 === 2 || round === kills - 1) {
        const again = await program.startTask('Do it again.').ended;
        expect(again.code, again.stderr).toBe(0);
        for (const name of await program.sessionIds()) known.add(name);
        expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
      }
    }
    expect(seen.cut).toBeGreaterThan(kills / 4);
    expect(seen.unknown).toBeGreaterThan(0);
  }, 300_000);

  /** Catches: parallel reads of which a kill leaves one without an end, or a log that cannot be replayed. */
  it(`at ${reads} moments during parallel reads gives each an end, and the work goes on`, async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n', 'big.txt': `${'x'.repeat(2_000_000)}\n` });
    const look = [
      { name: 'read_file', input: { path: 'notes.txt' } },
      { name: 'search', input: { pattern: 'two' } },
      { name: 'list_files', input: {} },
    ];
    await program.script([...Array.from({ length: 12 }, () => ({ toolCalls: look })), complete()]);
    const random = seeded(24);
    let cut = 0;
    for (let round = 0; round < reads; round += 1) {
      const known = new Set(await program.sessionIds());
      const running = program.startTask('What stands in the notes?', ['--strategy', 'loop']);
      await running.until('tool-started', ({ tool }) => tool === 'list_files');
      // The first kill is certain to hit the reads.
      await wait(round === 0 ? 0 : random() * 8);
      running.child.kill('SIGKILL');
      const { events } = await running.ended;
      const [id] = (await program.sessionIds()).filter((name) => !known.has(name));
      if (id === undefined) throw new Error('There is no session.');
      const left = await program.log(id);
      expect((await program.run(['changes', id, 'undo'])).stderr).not.toMatch(/not changed/);
      const opened = await program.log(id);
      checkCrashed({ acknowledged: events, left, opened });
      const ended = new Set(ofType(left, 'tool-ended').map(({ toolCallId }) => toolCallId));
      const open = ofType(left, 'tool-started').filter(({ toolCallId }) => !ended.has(toolCallId));
      if (open.length > 1) cut += 1;
      const replayed = await program.run(['replay', id]);
      expect(replayed.code, replayed.stderr).toBe(0);
    }
    expect(cut).toBeGreaterThan(0);
  }, 300_000);
});
