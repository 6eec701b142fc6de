import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import { EventLog } from '../../src/main/sessions/log/event-log.ts';
import { sealRecord } from '../../src/main/sessions/log/log-record.ts';
import { noticeEvent, openLog, readAll } from '../main/sessions/log-fixtures.ts';
import { makeHome, scratchSession, turnEvents } from '../main/sessions/session-fixtures.ts';
import { seeded } from '../../bench/lib/seeded.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-faults-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const events = Array.from({ length: 6 }, (_, index) => noticeEvent(index + 1, `text ${index} \u2028 ä`));
const lines = events.map((event) => sealRecord(event));
const whole = Buffer.concat(lines);
const startOf = (index: number): number => lines.slice(0, index).reduce((sum, line) => sum + line.length, 0);

interface Opened {
  readonly found: readonly SessionEvent[];
  readonly reasons: readonly string[];
  readonly moved: Buffer;
}

/** Opens the log at `path`, appends one event, and opens it again. The second time, nothing may be wrong. */
async function openTwice(): Promise<Opened> {
  const { log, events: found } = await openLog(path);
  const reasons = log.repairs.map((repair) => repair.reason);
  const movedTo = log.repairs.find((repair) => repair.movedTo !== null)?.movedTo;
  const moved = movedTo ? await readFile(join(folder, movedTo)) : Buffer.alloc(0);
  const repaired: SessionEvent = {
    v: 2,
    seq: log.lastSeq + 1,
    at: 1,
    type: 'session-repaired',
    reason: 'r',
    movedBytes: 0,
    movedTo: null,
  };
  await log.append(repaired, true);
  expect(await readAll(log)).toEqual([...found, repaired]);
  log.close();
  const again = await openLog(path);
  expect(again.log.repairs).toEqual([]);
  expect(again.events).toEqual([...found, repaired]);
  again.log.close();
  return { found, reasons, moved };
}

async function clear(): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name));
}

describe('a damaged log', () => {
  it('with a tail torn at any byte loses only the torn record, and keeps its bytes', async () => {
    const begin = startOf(5);
    for (let cut = begin; cut <= whole.length; cut += 1) {
      await clear();
      await writeFile(path, whole.subarray(0, cut));
      const { found, moved, reasons } = await openTwice();
      // If only its line break is missing, the record is complete.
      const isWhole = cut >= whole.length - 1;
      expect(found).toEqual(events.slice(0, isWhole ? 6 : 5));
      expect(moved.equals(isWhole ? Buffer.alloc(0) : whole.subarray(begin, cut))).toBe(true);
      expect(reasons).toEqual(isWhole || cut === begin ? [] : ['the last record is cut off']);
    }
  });

  it('with any one byte flipped keeps every other record, and the bytes of the bad one', async () => {
    const random = seeded(11);
    for (let at = 0; at < whole.length; at += 1) {
      const bits = [1 << Math.floor(random() * 8), 0xff, (whole[at] ?? 0) ^ 0x0a];
      for (const bit of bits) {
        if (bit === 0) continue;
        await clear();
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ bit;
        await writeFile(path, damaged);
        const { found, reasons, moved } = await openTwice();
        const index = lines.findIndex((_, line) => at < startOf(line + 1));
        const isLineEnd = at === startOf(index + 1) - 1;
        // A damaged line break damages no record.
        expect(found).toEqual(isLineEnd ? events : events.filter((_, line) => line !== index));
        expect(reasons.length).toBeGreaterThan(0);
        expect(
          moved.equals(isLineEnd ? damaged.subarray(at, at + 1) : damaged.subarray(startOf(index), startOf(index + 1))),
        ).toBe(true);
      }
    }
  });

  it('with a block of NULs anywhere keeps what is outside of it', async () => {
    for (const [from, to] of [
      [startOf(5) + 10, whole.length],
      [startOf(2) + 5, startOf(4) + 5],
      [startOf(2), startOf(3)],
      [0, startOf(1)],
      [startOf(5), whole.length],
    ] as const) {
      await clear();
      const damaged = Buffer.from(whole).fill(0, from, to);
      await writeFile(path, damaged);
      const { found } = await openTwice();
      const touched = (line: number): boolean => startOf(line + 1) > from && startOf(line) < to;
      expect(found).toEqual(events.filter((_, line) => !touched(line)));
    }
    await clear();
    await writeFile(path, Buffer.concat([whole, Buffer.alloc(5_000_000)]));
    const { found, moved } = await openTwice();
    expect([found.length, moved.length]).toEqual([6, 5_000_000]);
  });

  it('with records missing in the middle names them once', async () => {
    await writeFile(path, Buffer.concat([...lines.slice(0, 2), ...lines.slice(4)]));
    const { found, reasons } = await openTwice();
    expect(found.map((event) => event.seq)).toEqual([1, 2, 5, 6]);
    expect(reasons).toEqual(['records 3 to 4 are missing']);
  });

  it('of another version is refused and left alone, whatever else is wrong with it', async () => {
    const others = [
      Buffer.concat([sealRecord({ ...events[0], v: 3 }), Buffer.from('torn')]),
      Buffer.concat([whole, sealRecord({ v: 3, seq: 7, at: 1, type: 'stars-aligned' }), Buffer.from('torn')]),
      sealRecord({ v: 2, seq: 1, at: 1, type: 'session-created', logVersion: 99 }),
      Buffer.concat([sealRecord({ ...events[0], v: 1 }), Buffer.from('torn')]),
      Buffer.concat([whole, sealRecord({ ...events[5], v: 1, seq: 7 }), Buffer.from('torn')]),
    ];
    for (const bytes of others) {
      await clear();
      await writeFile(path, bytes);
      await expect(openLog(path)).rejects.toMatchObject({ code: 'log-version' });
      expect((await readFile(path)).equals(bytes)).toBe(true);
      expect(await readdir(folder)).toEqual(['events.jsonl']);
    }
  });

  it('that is damaged more than once keeps a separate file each time', async () => {
    await writeFile(path, whole);
    for (let round = 1; round <= 3; round += 1) {
      await writeFile(path, Buffer.concat([await readFile(path), Buffer.from(`torn ${round}`)]));
      const { log } = await openLog(path);
      expect(log.repairs[0]?.movedTo).toBe(`events.damaged-${round}.bin`);
      log.close();
    }
  });

  it('with a line of 50 MB, good or torn, is read in pieces', async () => {
    const log = EventLog.create(path);
    await log.append(noticeEvent(1, 'before'), false);
    await log.append(noticeEvent(2, 'long \u2028 '.repeat(6_000_000)), false);
    await log.append(noticeEvent(3, 'after'), false);
    log.close();
    const { log: again, events: found } = await openLog(path);
    expect(found.map((event) => event.type === 'notice-added' && event.text.length)).toEqual([6, 42_000_000, 5]);
    again.close();
    const bytes = await readFile(path);
    expect(bytes.length).toBeGreaterThan(50_000_000);
    await writeFile(path, bytes.subarray(0, 40_000_000));
    const torn = await openLog(path);
    expect([torn.events.length, torn.log.repairs[0]?.movedBytes]).toEqual([
      1,
      40_000_000 - sealRecord(noticeEvent(1, 'before')).length,
    ]);
    torn.log.close();
  });
});

describe('a damaged session', () => {
  it('opens, reports the damage in its log and to the person, and goes on', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of turnEvents('turn-1')) await journal.append(event);
    await journal.close();
    const file = join(home.store.folderOf(journal.sessionId), 'events.jsonl');
    const bytes = await readFile(file);
    bytes[Math.floor(bytes.length / 2)] = 0x21;
    await writeFile(file, Buffer.concat([bytes, Buffer.from('{"v":1,"torn')]));
    await rm(join(home.store.folderOf(journal.sessionId), 'snapshot.json'));

    const again = await home.again().open(journal.sessionId);
    expect(again.state().notices.map(({ code }) => code)).toEqual(['session-repaired', 'session-repaired']);
    expect(again.state().notices[1]?.text).toMatch(/record \d+ is missing/);
    for (const event of turnEvents('turn-2')) await again.append(event);
    expect(again.state().turns.at(-1)?.reason).toBe('done');
    await again.close();
    const third = await home.again().open(journal.sessionId);
    expect(third.state().notices).toHaveLength(2);
    await third.close();
  });

  it('that lost everything is refused, kept and still listed', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    await journal.close();
    const file = join(home.store.folderOf(journal.sessionId), 'events.jsonl');
    await copyFile(file, join(folder, 'kept'));
    await writeFile(file, Buffer.alloc(1000, 7));
    await rm(join(home.store.folderOf(journal.sessionId), 'summary.json'));
    expect(await home.store.list()).toMatchObject([{ id: journal.sessionId, problem: { code: 'log-damaged' } }]);
    await expect(home.store.open(journal.sessionId)).rejects.toMatchObject({ code: 'log-damaged' });
    expect(
      (await readFile(join(home.store.folderOf(journal.sessionId), 'events.damaged-1.bin'))).equals(
        Buffer.alloc(1000, 7),
      ),
    ).toBe(true);
  });
});
