import type { UserIds } from '../user/container-identity.ts';

const blockBytes = 512;

/**
 * A tar archive with one empty folder that has an owner. It gives a volume a folder that an unprivileged user can
 * write, because no user in the container may change an owner. The name `.` means the place itself.
 */
export function folderArchive(name: string, { uid, gid }: UserIds, mode = 0o700): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(`${name}/`, 0, 100, 'utf8');
  header.write(octal(mode, 8), 100);
  header.write(octal(uid, 8), 108);
  header.write(octal(gid, 8), 116);
  header.write(octal(0, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write('5', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(blockBytes * 2)]);
}
