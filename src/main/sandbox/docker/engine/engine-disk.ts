import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ContainerProcesses } from '../exec/container-process.ts';
import { scratchInContainer } from '../container/container-create-body.ts';
import { withDeadline } from './engine-deadline.ts';
import type { DiskSpace, WatchedDisk } from './disk-watch.ts';
import type { Engine } from './container-engine.ts';

/** Parses what a container printed about its volumes' disk: two lines of `df -Pk`. Null for anything else. */
export function parseDiskFree(text: string): DiskSpace | null {
  const match = /^\S.*?\s(\d+)\s+\d+\s+(\d+)\s+\d+%\s+\S/m.exec(text);
  return match === null ? null : { size: Number(match[1]) * 1024, free: Number(match[2]) * 1024 };
}

export async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, bsize, blocks } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** How many files the disk can hold, and how many more. Both are 0 if it has no such limit. */
export async function filesOf(path: string): Promise<DiskSpace> {
  const { ffree, files } = await statfs(path);
  return { free: ffree, size: files };
}

/** Prints the free space on the disk of a container's volumes. */
const freeScript = 'df -Pk "$1"';
/** The time between two looks from the host, in milliseconds. */
export const diskEveryMs = 500;
/** Longer, because each look starts a process in the container. */
const insideEveryMs = 2_000;
const insideMs = 5_000;

interface Place {
  readonly engine: Pick<Engine, 'rootFolder'>;
  readonly workspacePath: string;
}

/**
 * The disk of volumes, images and containers, to be watched. Null if it is the project's disk, or if the container
 * did not report what it has `seen` of it.
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

// A paused container cannot be asked. Then the user's answer is trusted.
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
 * `project`: volumes and images are on the project's disk. `host`: they are on another disk that is visible here, at
 * this path. `inside`: they are on a disk of another machine that only containers see.
 */
type EngineDisk = { readonly type: 'project' | 'inside' } | { readonly type: 'host'; readonly path: string };

interface EngineDiskQuestion {
  /** Where the engine says that it keeps everything. The path may be in another machine's file system. */
  readonly rootFolder: string | null;
  readonly workspacePath: string;
  /** The disk of its volumes as a container sees it. */
  readonly seen: DiskSpace;
}

/**
 * Finds the disk of an engine on this machine. The engine's own path counts only if a container sees the same disk
 * there.
 */
export async function findEngineDisk({ rootFolder, workspacePath, seen }: EngineDiskQuestion): Promise<EngineDisk> {
  const path = rootFolder === null ? null : await visiblePart(rootFolder);
  if (path === null) return { type: 'inside' };
  const [found, place, project] = await Promise.all([spaceOf(path), stat(path), stat(workspacePath)]);
  // Compared to the kilobyte. Two different disks hardly have exactly the same size.
  if (Math.abs(found.size - seen.size) >= 1024) return { type: 'inside' };
  return place.dev === project.dev ? { type: 'project' } : { type: 'host', path };
}

/** The folder, or the nearest one above it that this user can access. Null if that is only the root. */
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
