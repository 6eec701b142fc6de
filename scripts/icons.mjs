// node scripts/icons.mjs: draws the icon of the app in all sizes, from src/renderer/icon.svg into resources/icons. It
// needs a Chromium, which DEWPOINT_TEST_CHROMIUM names.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const folder = join(root, 'resources', 'icons');

/** For Linux, each as a file of its own. */
const ownFiles = [16, 32, 48, 64, 128, 256, 512];
/** The sizes that Windows takes out of one file. */
const icoSizes = [16, 32, 48, 64, 128, 256];
/** The kinds of pictures in a file for macOS, each with its size. @type {readonly (readonly [kind: string, size: number])[]} */
const icnsKinds = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];

/** A file of Windows: a head, a line for each picture, and the pictures as PNG. @param {ReadonlyMap<number, Buffer>} pictures */
export function icoFile(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.size);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.size, 4);
  let at = head.length;
  [...pictures].forEach(([size, bytes], index) => {
    const line = 6 + 16 * index;
    // 256 is written as 0.
    head.writeUInt8(size % 256, line);
    head.writeUInt8(size % 256, line + 1);
    head.writeUInt16LE(1, line + 4);
    head.writeUInt16LE(32, line + 6);
    head.writeUInt32LE(bytes.length, line + 8);
    head.writeUInt32LE(at, line + 12);
    at += bytes.length;
  });
  return Buffer.concat([head, ...pictures.values()]);
}

/** A file of macOS: pictures as PNG, each after its kind and its length. @param {readonly (readonly [string, Buffer])[]} pictures */
export function icnsFile(pictures) {
  const parts = pictures.flatMap(([kind, bytes]) => [chunkHead(kind, bytes.length), bytes]);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([chunkHead('icns', length), ...parts]);
}

/** @param {string} kind @param {number} length */
function chunkHead(kind, length) {
  const head = Buffer.alloc(8);
  head.write(kind, 'ascii');
  head.writeUInt32BE(length + 8, 4);
  return head;
}

/** @param {readonly number[]} sizes @returns {Promise<Map<number, Buffer>>} PNG files */
async function drawn(sizes) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: process.env.DEWPOINT_TEST_CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const svg = readFileSync(join(root, 'src/renderer/icon.svg'), 'utf8');
    const pictures = new Map();
    for (const size of sizes) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
      pictures.set(size, await page.screenshot({ omitBackground: true }));
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

async function main() {
  const pictures = await drawn([...ownFiles, 1024]);
  /** @param {number} size @returns {Buffer} */
  const ofSize = (size) => {
    const bytes = pictures.get(size);
    if (bytes === undefined) throw new Error(`size ${size} is not drawn`);
    return bytes;
  };
  mkdirSync(folder, { recursive: true });
  for (const size of ownFiles) writeFileSync(join(folder, `${size}x${size}.png`), ofSize(size));
  writeFileSync(join(folder, 'icon.ico'), icoFile(new Map(icoSizes.map((size) => [size, ofSize(size)]))));
  writeFileSync(join(folder, 'icon.icns'), icnsFile(icnsKinds.map(([kind, size]) => [kind, ofSize(size)])));
  process.stdout.write(`${ownFiles.length + 2} files in ${folder}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
