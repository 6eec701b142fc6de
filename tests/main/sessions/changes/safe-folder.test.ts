import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSafeFolder, type FileNow } from '../../../../src/main/sessions/changes/safe-folder.ts';

function scene() {
  const root = mkdtempSync(join(tmpdir(), 'dewpoint-safe-'));
  const outside = mkdtempSync(join(tmpdir(), 'dewpoint-outside-'));
  writeFileSync(join(root, 'a.txt'), 'agent\n');
  writeFileSync(join(outside, 'kept'), 'outside\n');
  const file = { bytes: Buffer.from('restored\n'), mode: 0o644 };
  return { root, outside, place: join(root, 'a.txt'), folder: createSafeFolder(root), file };
}

/** What a person or a program does to a file between the look at it and the write. */
const races: readonly (readonly [string, (at: { place: string; outside: string }) => void])[] = [
  ['is written to', ({ place }) => appendFileSync(place, 'mine\n')],
  [
    'is replaced as editors do it',
    ({ place }) => (writeFileSync(`${place}~`, 'mine!\n'), renameSync(`${place}~`, place)),
  ],
  ['is written over with as many bytes', ({ place }) => writeFileSync(place, 'mine!\n')],
  ['is removed', ({ place }) => rmSync(place)],
  ['becomes a link', ({ place, outside }) => (rmSync(place), symlinkSync(join(outside, 'kept'), place))],
  ['becomes an empty folder', ({ place }) => (rmSync(place), mkdirSync(place))],
  [
    'becomes a folder with files',
    ({ place }) => (rmSync(place), mkdirSync(place), writeFileSync(join(place, 'b'), 'mine')),
  ],
];

/** Everything in a folder, with the text of files. */
const allIn = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, 'utf8') : entry.isSymbolicLink() ? 'link' : 'folder'}`;
    })
    .sort();

/** Catches: bytes of a person that go away because they arrive after the look. */
describe('a file that somebody else changes between the look and the change', () => {
  it.each(races)('that %s stays as they left it', async (_what, race) => {
    for (const act of ['write', 'remove'] as const) {
      const { root, outside, place, folder, file } = scene();
      let left: readonly string[] = [];
      const isExpected = (now: FileNow): boolean => {
        expect(now.type).toBe('file');
        race({ place, outside });
        left = allIn(root);
        return true;
      };
      const done = act === 'write' ? folder.write('a.txt', file, isExpected) : folder.remove('a.txt', isExpected);
      expect(await done).toBe(false);
      expect(allIn(root)).toEqual(left);
      expect(allIn(outside)).toEqual([`${join(outside, 'kept')} outside\n`]);
    }
  });

  it('that was not there stays, too', async () => {
    const { root, folder, file } = scene();
    const isExpected = (now: FileNow): boolean => {
      expect(now.type).toBe('missing');
      writeFileSync(join(root, 'new.txt'), 'mine\n');
      return true;
    };
    expect(await folder.write('new.txt', file, isExpected)).toBe(false);
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('mine\n');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'new.txt']);
  });

  it('and that nobody changed is written and removed', async () => {
    const { root, place, folder, file } = scene();
    expect(await folder.write('a.txt', file, () => true)).toBe(true);
    expect(await folder.write('dir/b.txt', file, () => true)).toBe(true);
    expect([readFileSync(place, 'utf8'), readFileSync(join(root, 'dir/b.txt'), 'utf8')]).toEqual([
      'restored\n',
      'restored\n',
    ]);
    expect(await folder.remove('a.txt', () => true)).toBe(true);
    expect(readdirSync(root)).toEqual(['dir']);
  });

  it('and that grows without end is refused, and not read without end', async () => {
    const { root, folder } = scene();
    const stop = new AbortController();
    const growing = (async (): Promise<void> => {
      while (!stop.signal.aborted) await writeFile(join(root, 'log'), 'x'.repeat(500), { flag: 'a' });
    })();
    await expect.poll(() => readdirSync(root).includes('log')).toBe(true);
    for (let count = 0; count < 20; count += 1) {
      const read = folder.read('log').then(
        ({ bytes, now }) => (now.type === 'file' ? bytes?.length === now.sizeBytes : false),
        (error: unknown) => String(error).includes('another program is writing to it just now'),
      );
      expect(await read).toBe(true);
    }
    stop.abort();
    await growing;
  });
});
