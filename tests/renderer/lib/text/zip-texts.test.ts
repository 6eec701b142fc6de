import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { openZipEntry } from '../../../../src/main/models/files/download/zip-entry.ts';
import { zipTexts } from '../../../../src/renderer/lib/text/zip-texts.ts';

const folder = mkdtempSync(join(tmpdir(), 'dewpoint-zip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Catches: an archive that other programs do not open, and a session that replaces another of the same title.
describe('an archive of texts', () => {
  it('holds each text in a file of its own name, also where two titles are equal', async () => {
    const path = join(folder, 'some.zip');
    const long = 'Zeile mit Umlauten äöü und 漢字\n'.repeat(20_000);
    const bytes = zipTexts([
      { name: 'Fix it.html', text: 'one' },
      { name: 'fix it.html', text: 'two' },
      { name: 'Straße.html', text: long },
      { name: 'empty', text: '' },
    ]);
    writeFileSync(path, bytes);
    const read = async (name: string) => (await buffer(await openZipEntry(path, name))).toString('utf8');
    expect(await Promise.all(['Fix it.html', 'fix it 2.html', 'Straße.html', 'empty'].map(read))).toEqual([
      'one',
      'two',
      long,
      '',
    ]);
    // The reader above does not check sums, and other programs do.
    expect(Buffer.from(bytes).readUInt32LE(14)).toBe(crc32('one'));
  });

  it('is whole without any text', () => {
    expect(Buffer.from(zipTexts([])).readUInt32LE(0)).toBe(0x06_05_4b_50);
  });
});
