/** Which drives another machine or another program serves, out of what each system says of its drives. */

/** What Linux and macOS call the file systems of such drives. */
const servedKinds =
  /^(?:fuse|macfuse|osxfuse|nfs|cifs|smb|afpfs|webdav|ftp|9p|virtiofs|ceph|afs|glusterfs|lustre|gpfs|beegfs|orangefs|coda|ncp|autofs)/u;

/** Out of `/proc/self/mountinfo` (Linux). */
export function drivesInMountInfo(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const place = before.split(' ')[4];
    // The disk of the system itself is always there.
    return place !== undefined && place !== '/' && servedKinds.test(after) ? [unescaped(place)] : [];
  });
}

/** Spaces and line breaks are written as three octal digits. */
function unescaped(place: string): string {
  return place.replaceAll(/\\(\d{3})/gu, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}

/** Out of what `mount` prints (macOS): `SOURCE on PLACE (KIND, …)`. Both names may hold spaces and brackets. */
export function drivesInMounts(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const open = line.lastIndexOf(' (');
    const on = line.indexOf(' on /');
    if (on < 0 || open <= on || !servedKinds.test(line.slice(open + 2))) return [];
    const place = line.slice(on + ' on '.length, open);
    return place === '/' ? [] : [place];
  });
}

/** The letters out of what `net use` prints (Windows), in any language: `OK  Z:  \\server\share  …`. */
export function lettersInNetUse(text: string): readonly string[] {
  return text.split(/\r?\n/u).flatMap((line) => {
    const letter = line.split(/\s/u).find((word) => /^[A-Z]:$/iu.test(word));
    return letter !== undefined && line.includes('\\\\') ? [letter.toUpperCase()] : [];
  });
}

/** The drive of a whole path of Windows: a share by its own name, or a letter that stands for one. Null: a disk of this machine. */
export function windowsDriveOf(path: string, letters: readonly string[]): string | null {
  const names = path.replaceAll('/', '\\').split('\\');
  const letter = names[0]?.toUpperCase() ?? '';
  if (letters.includes(letter)) return `${letter}\\`;
  if (names[0] !== '' || names[1] !== '') return null;
  // `\\?\UNC\server\share` is `\\server\share`; `\\?\C:\…` and `\\.\…` are of this machine.
  const isLong = names[2] === '?' || names[2] === '.';
  if (isLong && names[3]?.toUpperCase() !== 'UNC')
    return names[3] === undefined ? null : windowsDriveOf(names.slice(3).join('\\'), letters);
  const [server = '', share = ''] = names.slice(isLong ? 4 : 2);
  const isHere = /^(?:wsl\$|wsl\.localhost)$/iu.test(server);
  return server === '' || share === '' || isHere ? null : `\\\\${server}\\${share}\\`;
}
