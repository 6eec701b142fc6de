/** A file or folder of an archive. */
export interface TarEntry {
  /** With `/`; at most 100 bytes, and as many more folders before them as have 155 bytes. */
  readonly path: string;
  /** Null: a folder. */
  readonly bytes: Uint8Array | null;
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
}

const blockBytes = 512;

/** A tar archive of these entries. Null: a path is too long for one. */
export function tarArchive(entries: readonly TarEntry[]): Buffer | null {
  const blocks: Buffer[] = [];
  for (const entry of entries) {
    const header = headerOf(entry);
    if (header === null) return null;
    const bytes = entry.bytes ?? new Uint8Array();
    blocks.push(header, Buffer.from(bytes), Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes));
  }
  return Buffer.concat([...blocks, Buffer.alloc(blockBytes * 2)]);
}

function headerOf({ path, bytes, mode, uid = 0, gid = 0 }: TarEntry): Buffer | null {
  const split = splitPath(bytes === null ? `${path}/` : path);
  if (split === null) return null;
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(split.name, 0, 100, 'utf8');
  header.write(octal(mode, 8), 100);
  header.write(octal(uid, 8), 108);
  header.write(octal(gid, 8), 116);
  header.write(octal(bytes?.length ?? 0, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(bytes === null ? '5' : '0', 156);
  header.write('ustar\x0000', 257);
  header.write(split.prefix, 345, 155, 'utf8');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function splitPath(path: string): { readonly prefix: string; readonly name: string } | null {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= 100) return Buffer.byteLength(prefix) <= 155 ? { prefix, name } : null;
  }
  return null;
}
