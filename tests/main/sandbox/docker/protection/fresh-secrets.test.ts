import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FreshSecrets } from '../../../../../src/main/sandbox/docker/protection/fresh-secrets.ts';
import { findHiddenFiles, type HiddenFiles } from '../../../../../src/main/sandbox/workspace/find-hidden-files.ts';

/** Catches: a key that a person adds in the middle of a session, and that every command of it can read. */

let work: string;
let looks: number;
beforeEach(async () => {
  work = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-fresh-')));
  looks = 0;
});
afterEach(() => rm(work, { recursive: true }));

const look = (): Promise<HiddenFiles> => {
  looks += 1;
  const query = { workspacePath: work, settings: { unmask: [] }, homePath: `${work}-home`, masks: [] };
  return findHiddenFiles({ ...query, seeksAway: looks === 1 }, new AbortController().signal);
};
const put = async (name: string): Promise<void> => {
  await wait(60);
  await writeFile(join(work, name), 'TOKEN=1');
  await wait(60);
};

it('the watch for new files with secrets finds one that was made while no command ran', async () => {
  await put('old.env');
  const fresh = new FreshSecrets(work, look, () => undefined);
  const { masks } = await fresh.begin();
  const over = fresh.running();
  await put('made.env');
  over();
  await put('plain.txt');
  await wait(600);
  expect(await fresh.find(masks)).toBeNull();
  await put('new.env');
  fresh.running()();
  await expect.poll(() => fresh.find(masks), { timeout: 20_000 }).toBe('new.env');
  await rm(`${work}-home`, { recursive: true });
});

it('the watch for new files with secrets looks seldom, and warns when it fails', async () => {
  const told: string[] = [];
  const looking = (): Promise<HiddenFiles> => (looks === 1 ? Promise.reject(new Error('too deep')) : look());
  const fresh = new FreshSecrets(work, looking, (text) => void told.push(text));
  looks = 2;
  const { masks } = await fresh.begin();
  for (let count = 0; count < 100; count += 1) await fresh.find(masks);
  expect(looks).toBe(3);
  await put('.env');
  looks = 1;
  await wait(2_000);
  expect(await Promise.all([fresh.find(masks), fresh.find(masks)])).toEqual([null, null]);
  expect(told).toEqual(['New files with secrets are not noticed now, so add none: too deep']);
});
