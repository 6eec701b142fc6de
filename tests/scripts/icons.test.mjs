import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icnsFile, icoFile } from '../../scripts/icons.mjs';

const root = resolve(import.meta.dirname, '../..');
const read = (name) => readFileSync(join(root, 'resources/icons', name));
/** The width and the height that a PNG file names. */
const sizeOf = (png) => [png.readUInt32BE(16), png.readUInt32BE(20)];

// Catches: an icon that an installer leaves out because its file is not what its name says.
describe('the icon', () => {
  it('has each size as a picture of that size', () => {
    const names = readdirSync(join(root, 'resources/icons')).filter((name) => name.endsWith('.png'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(sizeOf(read(name)).map(String)).toEqual(name.slice(0, -4).split('x'));
  });

  it('is the same picture in the files for Windows and macOS', () => {
    const [ico, icns] = [read('icon.ico'), read('icon.icns')];
    const pictures = new Map(
      Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
        const line = 6 + 16 * index;
        const [length, at] = [ico.readUInt32LE(line + 8), ico.readUInt32LE(line + 12)];
        return [ico.readUInt8(line) || 256, ico.subarray(at, at + length)];
      }),
    );
    expect([...pictures.keys()]).toEqual([16, 32, 48, 64, 128, 256]);
    for (const [size, bytes] of pictures) expect(bytes.equals(read(`${size}x${size}.png`))).toBe(true);
    expect(icoFile(pictures).equals(ico)).toBe(true);
    const parts = [];
    for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4))
      parts.push([icns.toString('ascii', at, at + 4), icns.subarray(at + 8, at + icns.readUInt32BE(at + 4))]);
    expect(parts.map(([, bytes]) => sizeOf(bytes)[0])).toEqual([16, 32, 128, 256, 512, 1024]);
    expect(icnsFile(parts).equals(icns)).toBe(true);
  });

  it('is what the page and the builder of installers name', () => {
    const builder = JSON.parse(readFileSync(join(root, 'electron-builder.json'), 'utf8'));
    const named = [builder.linux.icon, builder.mac.icon, builder.win.icon];
    expect(named).toEqual(['resources/icons', 'resources/icons/icon.icns', 'resources/icons/icon.ico']);
    expect(readFileSync(join(root, 'src/renderer/index.html'), 'utf8')).toContain('href="./icon.svg"');
  });
});
