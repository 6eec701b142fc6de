import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenReservationsOptions } from '../../../../src/main/money/reservations/open-reservations.ts';
import { openReservations } from '../../../../src/main/money/reservations/open-reservations.ts';
import { noKeys } from '../../../../src/main/money/reservations/reservations-state.ts';
import { lineCodec } from '../../../fakes/memory-reservations.ts';

let folder = '';
let path = '';
const today = '2026-11-21';
const keys = { ...noKeys, session: 's1', day: today };
const ask = { nano: 60, keys, caps: { day: 100 }, step: 7 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-reservations-'));
  path = join(folder, 'reservations.jsonl');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function options(more: Partial<OpenReservationsOptions> = {}): OpenReservationsOptions {
  return {
    path,
    codec: lineCodec,
    now: () => Date.UTC(2026, 10, 21, 12),
    fromLogs: async () => [],
    costInLog: async () => null,
    ...more,
  };
}

describe('the reservation log on the disk', () => {
  it('begins with what the session logs say was spent', async () => {
    const fromLogs = async () => [{ type: 'spent', at: 0, nano: 90, keys } as const];
    const reservations = await openReservations(options({ fromLogs }));
    expect((await reservations.reserve(ask)).granted).toBe(false);
    expect((await reservations.reserve({ ...ask, nano: 10 })).granted).toBe(true);
  });

  it.each([
    ['what the log says it has cost', 25, 25],
    ['its worst case, where the log does not know', null, 60],
  ])('counts a call whose process died at %s', async (_how, cost, spent) => {
    const first = await openReservations(options());
    await first.reserve(ask);
    first.close();
    const asked: unknown[] = [];
    const costInLog = async (session: string, step: number): Promise<number | null> => {
      asked.push([session, step]);
      return cost;
    };
    const next = await openReservations(options({ costInLog }));
    expect(asked).toEqual([['s1', 7]]);
    expect(next.sums('day', today)).toEqual({ spent, held: 0, raised: 0 });
  });

  it('counts what was spent and raised under a link for the project', async () => {
    const [real, link] = [join(folder, 'real'), join(folder, 'link')];
    mkdirSync(real);
    symlinkSync(real, link);
    const first = await openReservations(options());
    for (const project of [real, link, null]) {
      const grant = await first.reserve({ ...ask, caps: {}, keys: { ...keys, project } });
      if (grant.granted) first.settle(grant.id, 30);
    }
    await first.raise('project', link, 5);
    first.close();
    const next = await openReservations(options());
    expect(next.sums('project', real)).toEqual({ spent: 60, held: 0, raised: 5 });
    expect(next.sums('day', today)).toEqual({ spent: 90, held: 0, raised: 0 });
  });

  it('ignores half a line that a power cut left', async () => {
    const first = await openReservations(options());
    const grant = await first.reserve(ask);
    if (grant.granted) first.settle(grant.id, 30);
    first.close();
    appendFileSync(path, readFileSync(path).subarray(0, 40));
    const next = await openReservations(options());
    expect(next.sums('day', today)).toEqual({ spent: 30, held: 0, raised: 0 });
    expect((await next.reserve(ask)).granted).toBe(true);
  });

  it('is made again from the session logs when it is damaged, and the old one is kept', async () => {
    const first = await openReservations(options());
    await first.reserve(ask);
    await first.reserve({ ...ask, nano: 10 });
    first.close();
    const bytes = readFileSync(path);
    bytes[30] = 0x21;
    writeFileSync(path, bytes);
    const next = await openReservations(options({ fromLogs: async () => [{ type: 'spent', at: 0, nano: 70, keys }] }));
    expect(next.sums('day', today)).toMatchObject({ spent: 70 });
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
  });

  it('keeps the sums that still count when it is shortened', async () => {
    const old = { ...noKeys, session: 's1', day: '2026-01-05', month: '2026-01', task: 't' };
    const line = lineCodec.seal({ type: 'spent', at: 0, nano: 1, keys: old });
    const now = lineCodec.seal({ type: 'spent', at: 0, nano: 5, keys: { ...keys, month: '2026-11' } });
    const many = Math.ceil((8.1 * 1024 * 1024) / line.length);
    writeFileSync(path, Buffer.concat([...Array.from({ length: many }, () => line), now]));
    const reservations = await openReservations(options());
    expect(reservations.sums('session', 's1').spent).toBe(many + 5);
    expect(reservations.sums('month', '2026-11').spent).toBe(5);
    expect(reservations.sums('day', '2026-01-05').spent).toBe(0);
    expect(readFileSync(path).length).toBeLessThan(10_000);
  });

  it('keeps what was spent and raised in a project whose folder was moved', async () => {
    const first = await openReservations(options());
    const inProject = { ...ask, keys: { ...keys, project: '/old' }, caps: { project: 100 } };
    const answer = await first.reserve(inProject);
    if (answer.granted) first.settle(answer.id, 50);
    await first.raise('project', '/old', 7);
    await first.reserve({ ...inProject, nano: 10 });
    await first.moveProject('/old', '/new');
    first.close();
    const next = await openReservations(options());
    expect(next.sums('project', '/new')).toEqual({ spent: 60, held: 0, raised: 7 });
    expect(next.sums('project', '/old')).toEqual({ spent: 0, held: 0, raised: 0 });
    expect(readdirSync(folder)).toEqual(['reservations.jsonl']);
  });

  // Catches: a way back that also takes what was spent, raised or reserved at the new place.
  it('gives back only what a project had whose folder was not moved after all', async () => {
    const reservations = await openReservations(options());
    const spend = async (project: string, nano: number): Promise<void> => {
      const answer = await reservations.reserve({ ...ask, keys: { ...keys, project }, caps: {} });
      if (answer.granted) reservations.settle(answer.id, nano);
      await reservations.reserve({ ...ask, nano: nano + 1, keys: { ...keys, project }, caps: {} });
      await reservations.raise('project', project, nano + 2);
    };
    await spend('/old', 10);
    await spend('/new', 20);
    const takeBack = await reservations.moveProject('/old', '/new');
    expect(reservations.sums('project', '/new')).toEqual({ spent: 30, held: 32, raised: 34 });
    await spend('/new', 40);
    await takeBack();
    expect(reservations.sums('project', '/old')).toEqual({ spent: 10, held: 11, raised: 12 });
    expect(reservations.sums('project', '/new')).toEqual({ spent: 60, held: 62, raised: 64 });
    reservations.close();
  });
});
