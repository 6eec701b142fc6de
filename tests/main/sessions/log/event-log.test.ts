import { fstatSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import { EventLog, fileIo } from '../../../../src/main/sessions/log/event-log.ts';
import { sealRecord } from '../../../../src/main/sessions/log/log-record.ts';
import { noticeEvent, openLog, readAll } from '../log-fixtures.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-log-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function isLog(fd: number): boolean {
  try {
    return fstatSync(fd).ino === statSync(path).ino;
  } catch {
    // No open file has this number.
    return false;
  }
}

async function write(count: number, text = 'text'): Promise<readonly SessionEvent[]> {
  const log = EventLog.create(path);
  const events = Array.from({ length: count }, (_, index) => noticeEvent(index + 1, `${text} ${index}`));
  for (const event of events) await log.append(event, false);
  log.close();
  return events;
}

describe('the event log', () => {
  it('returns every event as it was written, also line separators and lone surrogates', async () => {
    const strange = [
      'a\u2028b\u2029c',
      'lone \ud800 and \udfff',
      '\u0000\u0001\u007f',
      '😀 中文 ñ',
      '"\\\n\r\t',
      ',"crc":"00000000"}',
      '{"v":1,',
    ];
    const log = EventLog.create(path);
    for (const [index, text] of strange.entries()) await log.append(noticeEvent(index + 1, text), false);
    log.close();
    const { log: again, events } = await openLog(path);
    expect(events).toEqual(strange.map((text, index) => noticeEvent(index + 1, text)));
    expect(again.repairs).toEqual([]);
    expect(await readAll(again)).toEqual(events);
    again.close();
  });

  it('keeps one line for each record, with a checksum of what is before it', async () => {
    await write(2);
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines.slice(0, 2)) expect(line).toMatch(/^\{"v":2,.*,"crc":"[0-9a-f]{8}"\}$/);
  });

  it('goes on after its last record, and can be read from any one', async () => {
    await write(5);
    const { log } = await openLog(path);
    await log.append(noticeEvent(6, 'six'), true);
    expect((await readAll(log, 4)).map((event) => event.seq)).toEqual([4, 5, 6]);
    expect(await readAll(log, 7)).toEqual([]);
    log.close();
    log.close();
    await expect(log.append(noticeEvent(7, 'x'), false)).rejects.toThrow('closed');
  });

  it('is read from the middle without reading what is before', async () => {
    const events = await write(4000, 'x'.repeat(2000));
    const { log } = await openLog(path);
    expect(log.marks.length).toBeGreaterThan(5);
    expect((await readAll(log, 3990)).map((event) => event.seq)).toEqual(events.slice(3989).map((event) => event.seq));
    log.close();
  });

  it('is never created over another log', async () => {
    await write(1);
    expect(() => EventLog.create(path)).toThrow(expect.objectContaining({ code: 'conflict' }));
  });

  it('skips types that it does not know', async () => {
    await write(1);
    const other = { v: 2, seq: 2, at: 2, type: 'stars-aligned', mood: 'good' };
    await writeFile(path, sealRecord(other), { flag: 'a' });
    const { log, events } = await openLog(path);
    expect(events.map((event) => event.seq)).toEqual([1]);
    expect([log.lastSeq, log.repairs]).toEqual([2, []]);
    log.close();
    expect(await readdir(folder)).toEqual(['events.jsonl']);
  });

  it('waits only for a sync that must be done before a side effect', async () => {
    const running: (() => void)[] = [];
    const sync = (): Promise<void> => new Promise((resolve) => running.push(resolve));
    const log = EventLog.create(path, { ...fileIo, sync });
    await log.append(noticeEvent(1, 'result'), false);
    log.syncSoon();
    await log.append(noticeEvent(2, 'not synced'), false);
    let isDone = false;
    const barrier = log.append(noticeEvent(3, 'before a side effect'), true).then(() => (isDone = true));
    running[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect([running.length, isDone]).toEqual([2, false]);
    running[0]?.();
    await barrier;
    expect(running).toHaveLength(2);
    log.close();
  });

  it('takes no more records after a failed sync, and keeps those it has', async () => {
    const sync = (): Promise<void> => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    const log = EventLog.create(path, { ...fileIo, sync });
    await log.append(noticeEvent(1, 'result'), false);
    log.syncSoon();
    await expect(log.append(noticeEvent(2, 'next'), true)).rejects.toMatchObject({ code: 'log-damaged' });
    await expect(log.append(noticeEvent(2, 'next'), false)).rejects.toMatchObject({ code: 'log-damaged' });
    log.close();
    const again = await openLog(path);
    expect([again.events, again.log.repairs]).toEqual([[noticeEvent(1, 'result')], []]);
    again.log.close();
  });

  it('is closed only after a running sync has ended', async () => {
    let end: () => void = () => undefined;
    let descriptor = 0;
    const sync = (fd: number): Promise<void> => {
      descriptor = fd;
      return new Promise((resolve) => (end = resolve));
    };
    const log = EventLog.create(path, { ...fileIo, sync });
    await log.append(noticeEvent(1, 'result'), false);
    log.syncSoon();
    log.close();
    expect(isLog(descriptor)).toBe(true);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isLog(descriptor)).toBe(false);
  });
});
