import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ContainerProcesses } from '../exec/container-process.ts';
import { scratchInContainer } from '../container/container-create-body.ts';
import { withDeadline } from './engine-deadline.ts';
import type { DiskSpace, WatchedDisk } from './disk-watch.ts';
import type { Engine } from './container-engine.ts';

/** What a container reported of the disk of its volumes: two lines of `df -Pk`. Null where that is none. */
export function parseDiskFree(text: string): DiskSpace | null {
  const match = /^\S.*?\s(\d+)\s+\d+\s+(\d+)\s+\d+%\s+\S/m.exec(text);
  return match === null ? null : { size: Number(match[1]) * 1024, free: Number(match[2]) * 1024 };
}

export async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, bsize, blocks } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** How many files it can hold and how many more; 0 of 0 where it has no such limit. */
export async function filesOf(path: string): Promise<DiskSpace> {
  const { ffree, files } = await statfs(path);
  return { free: ffree, size: files };
}

/** Prints what is left on the disk of a container's volumes. */
const freeScript = 'df -Pk "$1"';
/** Between two looks from the host, in milliseconds. */
export const diskEveryMs = 500;
/** A process in the container each time. */
const insideEveryMs = 2_000;
const insideMs = 5_000;

interface Place {
  readonly engine: Pick<Engine, 'rootFolder'>;
  readonly workspacePath: string;
}

/**
 * The disk that volumes, images and containers lie on, to be watched; null where it is that of the project, or where
 * the container (`processes`) does not say what it has `seen` of it.
 */
export async function watchedEngineDisk(
  { engine, workspacePath }: Place,
  seen: DiskSpace | null,
  processes: ContainerProcesses,
): Promise<WatchedDisk | null> {
  if (seen === null) return null;
  const disk = await findEngineDisk({ rootFolder: engine.rootFolder, workspacePath, seen });
  const name = 'the disk of the container engine';
  switch (disk.type) {
    case 'project':
      return null;
    case 'host':
      return { name, counts: 'bytes', space: () => spaceOf(disk.path), everyMs: diskEveryMs };
    case 'inside':
      return { name, counts: 'bytes', space: () => spaceInside(processes), everyMs: insideEveryMs };
    default:
      return disk satisfies never;
  }
}

// Where the container stands still nothing can be asked in it: a person's word is then taken for it.
async function spaceInside(processes: ContainerProcesses): Promise<DiskSpace | null> {
  let text = '';
  const program = { type: 'script', text: freeScript, values: [scratchInContainer] } as const;
  await withDeadline(insideMs, null, async () => {
    const running = await processes.start({ program, onChunk: ({ bytes }) => void (text += Buffer.from(bytes)) });
    await running.ended;
  });
  return parseDiskFree(text);
}

/**
 * `project`: volumes and images lie on the disk of the project. `host`: on another one that can be seen from here, at
 * this path. `inside`: on one that only containers see, of another machine.
 */
type EngineDisk = { readonly type: 'project' | 'inside' } | { readonly type: 'host'; readonly path: string };

interface EngineDiskQuestion {
  /** Where the engine says that it keeps everything, in its own words: its file system need not be this one. */
  readonly rootFolder: string | null;
  readonly workspacePath: string;
  /** What a container sees of the disk of its volumes. */
  readonly seen: DiskSpace;
}

/** Finds the disk of an engine on this machine. Its word for where it is counts only if a container sees the same disk. */
export async function findEngineDisk({ rootFolder, workspacePath, seen }: EngineDiskQuestion): Promise<EngineDisk> {
  const path = rootFolder === null ? null : await visiblePart(rootFolder);
  if (path === null) return { type: 'inside' };
  const [found, place, project] = await Promise.all([spaceOf(path), stat(path), stat(workspacePath)]);
  // To the kilobyte: disks of the very same size are not two.
  if (Math.abs(found.size - seen.size) >= 1024) return { type: 'inside' };
  return place.dev === project.dev ? { type: 'project' } : { type: 'host', path };
}

/** The folder, or the nearest above it that this user may look at; null where there is none but the root. */
export async function visiblePart(folder: string): Promise<string | null> {
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const isVisible = await spaceOf(path).then(
      () => true,
      () => false,
    );
    if (isVisible) return path;
  }
  return null;
}
