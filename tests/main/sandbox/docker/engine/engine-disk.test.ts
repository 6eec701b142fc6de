import { describe, expect, it } from 'vitest';
import {
  findEngineDisk,
  parseDiskFree,
  spaceOf,
  visiblePart,
} from '../../../../../src/main/sandbox/docker/engine/engine-disk.ts';

describe('the disk of an engine', () => {
  it('is read from the output of GNU and of BusyBox df', () => {
    const gnu = `gnu
Filesystem     1024-blocks     Used Available Capacity Mounted on
/dev/vda         264212084 32081756  63419508      34% /scratch
`;
    const busybox = `Filesystem           1024-blocks    Used Available Capacity Mounted on
//server/a share      1000        250       750  25% /scratch
`;
    expect(parseDiskFree(gnu)).toEqual({ size: 264_212_084 * 1024, free: 63_419_508 * 1024 });
    expect(parseDiskFree(busybox)).toEqual({ size: 1_024_000, free: 768_000 });
    expect(parseDiskFree('df: /scratch: No such file or directory\n')).toBeNull();
  });

  it("counts as the project's disk only when the container sees the same size", async () => {
    const here = await spaceOf('.');
    const ask = (rootFolder: string | null, size: number) =>
      findEngineDisk({ rootFolder, workspacePath: '.', seen: { size, free: 0 } });
    expect(await ask(process.cwd(), here.size)).toEqual({ type: 'project' });
    expect(await ask(process.cwd(), here.size + 4096)).toEqual({ type: 'inside' });
    expect(await ask(null, here.size)).toEqual({ type: 'inside' });
  });

  it('is looked up at the nearest folder that exists here', async () => {
    expect(await visiblePart(`${process.cwd()}/not/there`)).toBe(process.cwd());
  });
});
