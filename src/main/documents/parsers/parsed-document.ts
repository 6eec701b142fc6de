import { fromBufferPromise } from 'yauzl';
import type { UnreadReason } from '@shared/documents/document-text.ts';

/** What the process says about a document. `isCut`: the last text ends where the limit was. */
export type ParsedDocument =
  | { readonly why: UnreadReason }
  | {
      readonly pages: number;
      readonly texts: readonly string[];
      readonly names?: readonly string[];
      readonly isCut?: true;
    };

/** A page that was drawn. Without `png`: the document has no such page. */
export type DrawnByProcess = { readonly why: UnreadReason } | { readonly pages: number; readonly png?: string };

/** Thrown by a check that knows why a file must not be parsed. */
export class UnreadError extends Error {
  readonly why: UnreadReason;

  constructor(why: UnreadReason) {
    super(why);
    this.why = why;
  }
}

/** Any other error of a parser says that the file is damaged, or asks for more than there can be. */
export function failedWith(error: unknown): ParsedDocument {
  if (error instanceof RangeError) return { why: 'too-hard' };
  return { why: error instanceof UnreadError ? error.why : 'broken' };
}

/** Collects lines up to a limit of bytes. `add` says whether the line still had room. */
export function linesUpTo(mostBytes: number): { readonly add: (line: string) => boolean; readonly lines: string[] } {
  const lines: string[] = [];
  let size = 0;
  return {
    lines,
    add: (line) => {
      size += Buffer.byteLength(line) + 1;
      if (size <= mostBytes) lines.push(line);
      return size <= mostBytes;
    },
  };
}

/** Limits of what a Word or Excel file may unpack to. Real ones of the size that is taken stay far below. */
const mostEntries = 20_000;
const mostUnpackedBytes = 256 * 1024 * 1024;
const mostRatio = 300;
/** A smaller entry is no danger, however well it is packed. */
const harmlessBytes = 4 * 1024 * 1024;

/** Rejects an archive that unpacks to far too much, or whose directory states other sizes than its entries have. */
export async function checkZip(bytes: Uint8Array): Promise<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, autoClose: false });
  let entries = 0;
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    entries += 1;
    unpacked += entry.uncompressedSize;
    const isPacked = entry.uncompressedSize > Math.max(harmlessBytes, entry.compressedSize * mostRatio);
    if (entries > mostEntries || unpacked > mostUnpackedBytes || isPacked) throw new UnreadError('bomb');
    if ((entry.generalPurposeBitFlag & 1) !== 0) throw new UnreadError('encrypted');
    if (entry.fileName.endsWith('/')) continue;
    await checkEntry(await zip.openReadStreamPromise(entry), entry.fileName);
  }
  zip.close();
}

/** The stream fails where an entry has another size than the directory states. Office files have no DTD. */
async function checkEntry(pieces: AsyncIterable<unknown>, name: string): Promise<void> {
  let head = '';
  for await (const piece of pieces) {
    if (head.length < 4_096 && piece instanceof Uint8Array)
      head += Buffer.from(piece).toString('latin1').slice(0, 4_096);
  }
  if (/\.(?:xml|rels)$/iu.test(name) && /<!(?:DOCTYPE|ENTITY)/iu.test(head)) throw new UnreadError('broken');
}
