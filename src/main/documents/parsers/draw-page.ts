import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium';
import type { DrawnByProcess } from './parsed-document.ts';

/** The longer side of a picture. Services make a larger one smaller. */
const longSide = 1568;
/** Points are 72 to an inch. A small page is drawn no larger than this. */
const mostScale = 4;

/**
 * A page of a PDF as a PNG, drawn by PDFium in WebAssembly: it reaches neither files nor a network, and this build of it
 * has no JavaScript. Forms are left out.
 */
export async function drawnPage(bytes: Uint8Array, number: number): Promise<DrawnByProcess> {
  const wasm = await readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm'));
  const library = await PDFiumLibrary.init({ wasmBinary: new Uint8Array(wasm).buffer });
  let document: PDFiumDocument;
  try {
    document = await library.loadDocument(bytes);
  } catch (error) {
    return { why: error instanceof Error && /password/iu.test(error.message) ? 'encrypted' : 'broken' };
  }
  const pages = document.getPageCount();
  if (number < 1 || number > pages) return { pages };
  const page = document.getPage(number - 1);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const scale = Math.min(longSide / Math.max(originalWidth, originalHeight, 1), mostScale);
  const side = (points: number): number => Math.min(longSide, Math.max(1, Math.round(points * scale)));
  const drawn = await page.render({
    width: side(originalWidth),
    height: side(originalHeight),
    renderFormFields: false,
    render: async ({ data }) => data,
  });
  const png = pngOf(drawn.data, drawn.width, drawn.height);
  return { pages, png: png.toString('base64') };
}

/** From four bytes a point. A page is white below what it draws, so nothing shines through. */
function pngOf(points: Uint8Array, width: number, height: number): Buffer {
  const row = width * 3 + 1;
  const rows = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const from = (y * width + x) * 4;
      rows.set(points.subarray(from, from + 3), y * row + 1 + x * 3);
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  head.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
