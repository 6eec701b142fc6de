import { describe, expect, it } from 'vitest';
import {
  drivesInMountInfo,
  drivesInMounts,
  lettersInNetUse,
  windowsDriveOf,
} from '../../../../src/main/lib/files/drive-lists.ts';

describe('the drives that another machine serves', () => {
  it('are found in the list of Linux', () => {
    const text = String.raw`22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /mnt/team\040files rw,relatime shared:20 - nfs4 nas:/team rw,vers=4.2
41 22 0:36 / /home/me/far rw,nosuid - fuse.sshfs me@far: rw
42 22 0:37 / /run/user/1000 rw - tmpfs tmpfs rw
1 0 0:1 / / rw - virtiofs root rw`;
    expect(drivesInMountInfo(text)).toEqual(['/mnt/team files', '/home/me/far']);
  });

  it('are found in the list of macOS, with any names', () => {
    const text = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//me@nas._smb._tcp.local/Team%20on on /Volumes/Team on (old) (smbfs, nodev, nosuid, mounted by me)
nas:/export on /Volumes/export (nfs, nodev, nosuid, mounted by me)
me@far:/srv on /Users/me/far (macfuse, nodev, nosuid, synchronous, mounted by me)
http://dav.example.com/ on /Volumes/dav (webdav, nodev, noexec, nosuid, mounted by me)
`;
    expect(drivesInMounts(text)).toEqual([
      '/System/Volumes/Data/home',
      '/Volumes/Team on (old)',
      '/Volumes/export',
      '/Users/me/far',
      '/Volumes/dav',
    ]);
  });

  it('are found by their letters in the list of Windows, in any language', () => {
    const text = String.raw`Neue Verbindungen werden gespeichert.


Status       Lokal     Remote                    Netzwerk

-------------------------------------------------------------------------------
OK           Z:        \\nas\team                Microsoft Windows Network
Getrennt     y:        \\far.example.com\my files
                                                 Microsoft Windows Network
OK                     \\nas\IPC$                Microsoft Windows Network
Der Befehl wurde erfolgreich ausgeführt.
`;
    expect(lettersInNetUse(text.replaceAll('\n', '\r\n'))).toEqual(['Z:', 'Y:']);
  });

  it.each([
    ['Z:\\work\\app', 'Z:\\'],
    ['z:/work', 'Z:\\'],
    ['C:\\work', null],
    ['\\\\nas\\team\\work', '\\\\nas\\team\\'],
    ['//nas/team', '\\\\nas\\team\\'],
    ['\\\\?\\UNC\\nas\\team\\work', '\\\\nas\\team\\'],
    ['\\\\?\\C:\\work', null],
    ['\\\\?\\Z:\\work', 'Z:\\'],
    ['\\\\.\\pipe\\dewpoint', null],
    ['\\\\wsl$\\Ubuntu\\home', null],
    ['\\\\nas', null],
    ['work', null],
  ])('have the path %s of Windows: %s', (path, drive) => {
    expect(windowsDriveOf(path, ['Z:'])).toBe(drive);
  });
});
