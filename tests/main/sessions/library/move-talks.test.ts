import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { finishMoves, moveTalk, type TalkPlaces } from '../../../../src/main/sessions/library/move-talks.ts';
import { openClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

let home: string;
let places: TalkPlaces;
const ids = ['20261101-100000-aaaaaaaa', '20261101-110000-bbbbbbbb', '20261101-120000-cccccccc'];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-moves-'));
  places = {
    home,
    store: { folderOf: (id) => join(home, 'sessions', id) },
    bin: { folderOf: (id) => join(home, 'bin', id) },
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function lay(place: 'sessions' | 'bin', own: readonly string[]): Promise<void> {
  for (const id of own) {
    await mkdir(join(home, place, id), { recursive: true });
    await writeFile(join(home, place, id, 'events.jsonl'), `log of ${id}`);
    await mkdir(join(home, 'workspaces', id), { recursive: true });
  }
}

const namesIn = async (place: string): Promise<readonly string[]> =>
  [...(await readdir(join(home, place)).catch(() => []))].sort();

/** The process ends before the folder with this number moves: nothing after it runs. */
async function cutOff(to: 'bin' | 'store' | 'gone', before: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const never = new Promise<void>(() => undefined);
  void moveTalk(places, { to, ids }, (id) => {
    if (id !== ids[before]) return Promise.resolve();
    resolve();
    return never;
  });
  await promise;
}

const cuts = (['bin', 'store', 'gone'] as const).flatMap((to) => [0, 1, 2].map((before) => [to, before] as const));

describe('a talk with branches', () => {
  it.each(cuts)('is at one place after the next start (to: %s, cut off before branch %i)', async (to, before) => {
    await lay(to === 'bin' ? 'sessions' : 'bin', ids);
    await cutOff(to, before);
    await finishMoves(places);
    expect([await namesIn('sessions'), await namesIn('bin'), await namesIn('workspaces')]).toEqual(
      { bin: [[], ids, ids], store: [ids, [], ids], gone: [[], [], []] }[to],
    );
  });

  it('stays where it is, all of it, if one branch cannot be moved', async () => {
    await lay('sessions', ids);
    await lay('bin', ids.slice(2));
    await expect(moveTalk(places, { to: 'bin', ids })).rejects.toThrow('ENOTEMPTY');
    expect([await namesIn('sessions'), await namesIn('bin')]).toEqual([ids, ids.slice(2)]);
    await finishMoves(places);
    expect(await namesIn('sessions')).toEqual(ids);
  });

  it('loses nothing to a note that is damaged, or about what was restored since', async () => {
    await lay('sessions', ids);
    await mkdir(join(home, 'bin'));
    await writeFile(join(home, 'bin', '.moving-a.json'), '{"to":');
    await writeFile(join(home, 'bin', '.moving-b.json'), JSON.stringify({ to: 'gone', ids }));
    await writeFile(join(home, 'bin', '.moving-c.json'), JSON.stringify({ to: 'bin', ids: ['', '../x'] }));
    await finishMoves(places);
    expect([await namesIn('sessions'), await namesIn('workspaces')]).toEqual([ids, ids]);
  });

  it('is whole in the bin when a core starts after a crash in the middle of its deletion', async () => {
    const open = () =>
      openClientCore({
        home,
        cache: join(home, 'cache'),
        version: '1',
        onNotice: () => undefined,
        startSandbox: async () => success(createMemorySandbox({ files: {} })),
      });
    const before = await open();
    const { sessionId } = await before.client.sessions.create({ projectPath: null, title: 'Talk' });
    const branch = await before.client.sessions.fork({ sessionId, isBranch: true });
    await before.dispose();
    const own = [sessionId, branch.sessionId];
    const { promise, resolve } = Promise.withResolvers<void>();
    void moveTalk(places, { to: 'bin', ids: own }, (id) => {
      if (id === sessionId) return Promise.resolve();
      resolve();
      return new Promise(() => undefined);
    });
    await promise;
    expect(existsSync(join(home, 'sessions', branch.sessionId))).toBe(true);
    const after = await open();
    expect(await after.client.sessions.list()).toEqual([]);
    expect(await after.client.sessions.binned()).toHaveLength(1);
    expect(await namesIn('bin')).toEqual(own.toSorted());
    await after.dispose();
  });
});
