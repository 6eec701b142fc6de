import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome } from '../../../src/main/home/clean-home.ts';
import { keptImages } from '../../../src/main/sandbox/images/kept-images.ts';

const none = new AbortController().signal;
const inTwoDays = Date.now() + 2 * 24 * 60 * 60_000;

describe('the list of what can be cleaned', () => {
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'dewpoint-clean-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('has each size, and removes copies only of deleted sessions', async () => {
    const of = (path: string): string => join(folder, 'home', path);
    const copies = [
      '20260101-000000-00000a',
      '20260101-000000-00000b',
      '20260101-000000-00000c',
      '20260101-000000-00000d',
    ];
    for (const name of [...copies, 'prepare-1']) {
      await mkdir(of(`workspaces/${name}/deep`), { recursive: true });
      await writeFile(of(`workspaces/${name}/deep/file`), 'abc');
      // A copy has the times of its project.
      await utimes(of(`workspaces/${name}`), 1000, 1000);
    }
    await mkdir(of(`sessions/${copies[0]}`), { recursive: true });
    await mkdir(of(`bin/${copies[1]}`), { recursive: true });
    await mkdir(join(folder, 'cache', 'prefix'), { recursive: true });
    await writeFile(join(folder, 'cache', 'prefix', 'a.state'), 'state');
    const folders = { homePath: join(folder, 'home'), cachePath: join(folder, 'cache') };
    // A session that begins has its copy before its log.
    expect((await cleanHome(folders, true, none)).filter(({ isRemoved }) => isRemoved)).toEqual([]);
    await mkdir(of(`sessions/${copies[3]}`));
    const listed = await cleanHome(folders, false, none, inTwoDays);
    expect(listed.map(({ kind, sizeBytes, unneeded, isRemoved }) => [kind, sizeBytes, unneeded, isRemoved])).toEqual([
      ['copy', 3, null, false],
      ['copy', 3, null, false],
      ['copy', 3, 'its session was deleted', false],
      ['copy', 3, null, false],
      ['copy', 3, null, false],
      ['states', 5, null, false],
    ]);
    const removed = (await cleanHome(folders, true, none, inTwoDays)).filter(({ isRemoved }) => isRemoved);
    expect(removed.map(({ name }) => name)).toEqual([of(`workspaces/${copies[2]}`)]);
    expect(await readdir(of('workspaces'))).not.toContain(copies[2]);
    expect(await readdir(of('workspaces'))).toHaveLength(4);
  });

  it('removes the folder to compute in that a crash left of a deleted session', async () => {
    const of = (path: string): string => join(folder, 'home', path);
    const ids = ['20260101-000000-00000a', '20260101-000000-00000b'];
    for (const id of ids) await mkdir(of(`workspaces/${id}-computing`), { recursive: true });
    await mkdir(of(`sessions/${ids[0]}`), { recursive: true });
    const folders = { homePath: join(folder, 'home'), cachePath: join(folder, 'cache') };
    await cleanHome(folders, true, none, inTwoDays);
    expect(await readdir(of('workspaces'))).toEqual([`${ids[0]}-computing`]);
  });

  // Catches: copies of whole projects that a crash left, and that nothing ever removes.
  it('removes what a crash left of a comparison or a calibration that never began, and nothing of one that goes on', async () => {
    const of = (path: string): string => join(folder, 'home', path);
    const known = { a: 'comparisons', b: 'calibrations', c: 'calibrations/runs' };
    for (const [end, place] of Object.entries(known)) {
      await mkdir(of(place), { recursive: true });
      await writeFile(of(`${place}/20260101-000000-00000${end}.json`), '{}');
    }
    const kept = ['00000a-project', '00000a-project-2', '00000b-history', '00000c-project', '00000d-other'];
    const left = ['00000e-project', '00000e-project-0', '00000e-history', '00000e-trial', '00000e-0-tests'];
    const names = [...kept, ...left].map((name) => `20260101-000000-${name}`);
    const made = ['eval-0123456789abcdef', 'eval-1123456789abcdef', 'eval-2123456789abcdef', 'eval-3123456789abcdef'];
    const put = (name: string, text: string): Promise<void> => writeFile(of(`comparisons/${name}.json`), text);
    const about = (name: string | undefined, state: string): string =>
      JSON.stringify({
        input: { projectPath: of(`workspaces/${name}/project`) },
        runs: [{ state: 'ended' }, { state }],
      });
    await put('open', about(made[0], 'waiting'));
    await put('done', about(made[1], 'ended'));
    await put('torn', about(made[2], 'ended').slice(0, -4));
    for (const name of [...names, 'capsule-0123456789ab', ...made]) {
      await mkdir(of(`workspaces/${name}`), { recursive: true });
    }
    const folders = { homePath: join(folder, 'home'), cachePath: join(folder, 'cache') };
    expect((await cleanHome(folders, true, none)).filter(({ isRemoved }) => isRemoved)).toEqual([]);
    await cleanHome(folders, true, none, inTwoDays);
    expect((await readdir(of('workspaces'))).sort()).toEqual([
      ...kept.map((name) => `20260101-000000-${name}`),
      made[0],
      made[2],
    ]);
  });
});

describe('the images that Dewpoint has made', () => {
  it('are listed, and removed only if asked and not in use', async () => {
    const removed: string[] = [];
    const engine = {
      listImages: async () => [
        { RepoTags: ['dewpoint-sandbox:dockerfile-now', 'dewpoint-sandbox:dev'], Size: 1 },
        { RepoTags: ['dewpoint-sandbox:dockerfile-old', 'mine:old'], Size: 2 },
        { RepoTags: ['dewpoint-project:used'], Size: 3 },
        { RepoTags: ['dewpoint-project:busy'], Size: 4 },
        { RepoTags: ['debian:12'], Size: 5 },
        { RepoTags: null, Size: 6 },
      ],
      getImage: (name: string) => ({
        remove: async () => {
          if (name === 'dewpoint-project:busy') throw new Error('a container uses it');
          removed.push(name);
        },
      }),
    };
    const query = { own: 'dewpoint-sandbox:dockerfile-now', named: new Set(['dewpoint-project:used']) };
    const rows = async (isRemoving: boolean): Promise<unknown> =>
      (await keptImages(engine, { ...query, isRemoving })).map((item) => [
        item.sizeBytes,
        item.unneeded,
        item.isRemoved,
      ]);
    const [version, settings] = ['this version of Dewpoint does not use it', 'your settings do not use it'];
    expect(await rows(false)).toEqual([
      [1, null, false],
      [2, version, false],
      [3, null, false],
      [4, settings, false],
    ]);
    expect(removed).toEqual([]);
    expect(await rows(true)).toEqual([
      [1, null, false],
      [2, version, true],
      [3, null, false],
      [4, settings, false],
    ]);
    expect(removed).toEqual(['dewpoint-sandbox:dockerfile-old']);
  });
});
