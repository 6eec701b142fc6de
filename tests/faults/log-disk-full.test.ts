import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import { createBlobs } from '../../src/main/sessions/blobs/blob-store.ts';
import { EventLog, fileIo, type LogIo } from '../../src/main/sessions/log/event-log.ts';
import { createRedactor } from '../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../src/main/sessions/store/session-store.ts';
import { noticeEvent, openLog } from '../main/sessions/log-fixtures.ts';
import { withFileLimit } from './limits.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-full-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const noSpace = (): Error => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

/**
 * A disk with room for this many bytes. A write beyond it is either cut short without an error, as the system does, or
 * fails.
 */
function diskOf(room: { left: number }, how: 'short' | 'error'): LogIo {
  return {
    ...fileIo,
    write: (fd, bytes) => {
      const fits = Math.min(bytes.length, room.left);
      if (fits < bytes.length && how === 'error') throw noSpace();
      room.left -= fits;
      return fits === 0 ? 0 : fileIo.write(fd, bytes.subarray(0, fits));
    },
    truncate: (fd, length) => fileIo.truncate(fd, length),
  };
}

const events = Array.from({ length: 8 }, (_, index) => noticeEvent(index + 1, `event ${index}`));

async function wholeSize(): Promise<number> {
  const log = EventLog.create(path);
  for (const event of events) await log.append(event, false);
  log.close();
  const { size } = await stat(path);
  await rm(path);
  return size;
}

describe('a full disk', () => {
  it.each(['short', 'error'] as const)(
    'at any byte of an append (%s) loses nothing written, and the log works when there is room',
    async (how) => {
      const size = await wholeSize();
      for (let left = 0; left < size; left += 1) {
        const room = { left };
        const log = EventLog.create(path, diskOf(room, how));
        const written: SessionEvent[] = [];
        for (const event of events) {
          try {
            await log.append(event, false);
            written.push(event);
          } catch (error) {
            expect(error).toMatchObject({ code: 'disk-full' });
            break;
          }
        }
        expect((await stat(path)).size).toBe(log.sizeBytes);
        expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(written.length + 1);
        room.left = Number.POSITIVE_INFINITY;
        for (const event of events.slice(written.length)) await log.append(event, event.seq === events.length);
        log.close();
        const again = await openLog(path);
        expect([again.events, again.log.repairs]).toEqual([events, []]);
        again.log.close();
        await rm(path);
      }
    },
  );

  it('that shows only at the sync takes the record back, too', async () => {
    let isFull = false;
    const io: LogIo = { ...fileIo, sync: (fd) => (isFull ? Promise.reject(noSpace()) : fileIo.sync(fd)) };
    const log = EventLog.create(path, io);
    await log.append(noticeEvent(1, 'a'), true);
    isFull = true;
    await expect(log.append(noticeEvent(2, 'b'), true)).rejects.toMatchObject({ code: 'disk-full' });
    isFull = false;
    await log.append(noticeEvent(2, 'c'), true);
    log.close();
    expect((await openLog(path)).events).toEqual([noticeEvent(1, 'a'), noticeEvent(2, 'c')]);
  });

  it('whose torn record cannot be taken back stops the log, and the next start repairs it', async () => {
    const room = { left: 1000 };
    const broken: LogIo = {
      ...diskOf(room, 'short'),
      truncate: () => {
        throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      },
    };
    const log = EventLog.create(path, broken);
    await log.append(noticeEvent(1, 'a'), true);
    room.left = 20;
    await expect(log.append(noticeEvent(2, 'b'), true)).rejects.toMatchObject({ code: 'log-damaged' });
    room.left = 1000;
    await expect(log.append(noticeEvent(2, 'b'), true)).rejects.toMatchObject({ code: 'log-damaged' });
    log.close();
    const again = await openLog(path);
    expect([again.events, again.log.repairs[0]?.movedBytes]).toEqual([[noticeEvent(1, 'a')], 20]);
    again.log.close();
  });

  it('is told apart from another failure of a sync, which stops the log', async () => {
    const log = EventLog.create(path, {
      ...fileIo,
      sync: () => Promise.reject(Object.assign(new Error('io'), { code: 'EIO' })),
    });
    await expect(log.append(noticeEvent(1, 'a'), true)).rejects.toMatchObject({ code: 'log-damaged' });
    await expect(log.append(noticeEvent(1, 'a'), false)).rejects.toMatchObject({ code: 'log-damaged' });
    log.close();
  });
});

// Only Linux can limit a running process in this way.
describe.runIf(process.platform === 'linux')('a disk that takes no more', () => {
  it('refuses to make a session, says so, and makes one when there is room', async () => {
    const store = createSessionStore({
      folder: join(folder, 'sessions'),
      appVersion: 'test',
      blobs: createBlobs(join(folder, 'blobs')),
      redactor: createRedactor(),
      now: Date.now,
    });
    const session = { title: 'x', projectPath: null, workspace: { mode: 'scratch', path: '/' } } as const;
    await withFileLimit(0, async () => {
      await expect(store.create(session)).rejects.toMatchObject({ code: 'disk-full' });
      expect(await store.list()).toEqual([]);
    });
    const journal = await store.create(session);
    await journal.close();
    expect(await store.list()).toHaveLength(1);
  });

  it('rejects appends, blobs and output, keeps what was written, and works when there is room', async () => {
    const log = EventLog.create(path);
    await log.append(noticeEvent(1, 'before'), true);
    let seq = 1;
    const fill = async (): Promise<void> => {
      for (;;) {
        await log.append(noticeEvent(seq + 1, 'x'.repeat(900)), true);
        seq += 1;
      }
    };
    await withFileLimit(40 * 1024, async () => {
      await expect(fill()).rejects.toMatchObject({ code: 'disk-full' });
      expect(seq).toBeGreaterThan(10);
      const blobs = createBlobs(join(folder, 'blobs'));
      // Small and large blobs are written in different ways.
      for (const bytes of [300 * 1024, 3 * 1024 * 1024])
        await expect(blobs.put(Buffer.alloc(bytes, 1))).rejects.toMatchObject({ code: 'disk-full' });
      const sink = blobs.open();
      for (let part = 0; part < 300; part += 1) sink.write(Buffer.alloc(1024, part));
      await expect(sink.end()).rejects.toMatchObject({ code: 'disk-full' });
    });
    await log.append(noticeEvent(seq + 1, 'after'), true);
    log.close();
    const again = await openLog(path);
    expect([again.events.length, again.log.repairs]).toEqual([seq + 1, []]);
    again.log.close();
    expect(await readdir(join(folder, 'blobs'))).toEqual([]);
  });
});
