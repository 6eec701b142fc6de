import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { KeptItem } from '@shared/projects/project-preparation.ts';
import { isMissing } from '../lib/files/json-file.ts';
import { mayBeThere } from '../lib/files/host-folder.ts';
import { findUnreferencedBlobs } from '../sessions/blobs/unreferenced-blobs.ts';
import { orNoted } from '../lib/log.ts';

export interface HomeFolders {
  readonly homePath: string;
  readonly cachePath: string;
}

const dayMs = 24 * 60 * 60_000;

/**
 * What the home and the cache hold, apart from what the container engine keeps. With `isRemoving`, removes what is not
 * needed.
 */
export async function cleanHome(
  { homePath, cachePath }: HomeFolders,
  isRemoving: boolean,
  signal: AbortSignal,
  now = Date.now(),
): Promise<readonly KeptItem[]> {
  const items: KeptItem[] = [];
  const blobs = await findUnreferencedBlobs(homePath, { remove: isRemoving, now }, signal);
  if (blobs.count > 0)
    items.push({
      kind: 'blobs',
      name: `${blobs.count} files of sessions`,
      sizeBytes: blobs.sizeBytes,
      unneeded: 'no session uses them',
      isRemoved: isRemoving,
    });
  const copies = join(homePath, 'workspaces');
  for (const name of await namesIn(copies)) {
    const path = join(copies, name);
    const unneeded = await whyUnneeded(homePath, name, now);
    const sizeBytes = await sizeOf(path, signal);
    if (unneeded !== null && isRemoving) await rm(path, { recursive: true, force: true });
    items.push({ kind: 'copy', name: path, sizeBytes, unneeded, isRemoved: unneeded !== null && isRemoving });
  }
  const states = join(cachePath, 'prefix');
  const sizeBytes = await sizeOf(states, signal);
  if (sizeBytes > 0)
    items.push({
      kind: 'states',
      name: 'cached prompts; the oldest are removed automatically',
      sizeBytes,
      unneeded: null,
      isRemoved: false,
    });
  return items;
}

/**
 * Why a copy is not needed; null: it is kept. A copy belongs to its session, also while that is in the bin, or to a
 * comparison or a calibration, which goes on with it. Other folders belong to an installation in progress.
 */
async function whyUnneeded(homePath: string, name: string, now: number): Promise<string | null> {
  const owner = ownerOf(name);
  if (owner === null) return null;
  for (const place of owner.places) if (await mayBeThere(join(homePath, place))) return null;
  if (name.startsWith('eval-') && (await isNeededByRuns(homePath, name))) return null;
  // A copy that cannot be examined is kept.
  const made = await stat(join(homePath, 'workspaces', name)).catch(() => null);
  // A new session has its copy before its log. A copy has the times of its project, but its own time of change.
  return made === null || made.ctimeMs > now - dayMs ? null : owner.why;
}

/** Where the owner of a copy is kept, and why the copy is not needed without it. Null: it may belong to anything. */
function ownerOf(name: string): { readonly places: readonly string[]; readonly why: string } | null {
  const [, id = '', part] = /^(\d{8}-\d{6}-[0-9a-z]{6,8})(-.+)?$/u.exec(name) ?? [];
  if (/^eval-[0-9a-f]{16}$/u.test(name)) return { places: [], why: 'no unfinished comparison needs it' };
  if (id === '') return /^capsule-[0-9a-f]{12}$/u.test(name) ? { places: [], why: 'a crash left it' } : null;
  if (part === undefined || part === '-computing')
    return { places: [`sessions/${id}`, `bin/${id}`], why: 'its session was deleted' };
  if (!/^-(?:project(?:-\d+)?|history|trial|past|task|(?:\d+-)?tests)$/u.test(part)) return null;
  const kept = ['comparisons', 'calibrations', 'calibrations/runs'].map((folder) => `${folder}/${id}.json`);
  return { places: kept, why: 'a crash left it before its comparison or calibration began' };
}

const runsSchema = z.looseObject({ runs: z.array(z.looseObject({ state: z.string() })) });

/** Whether a comparison that has not ended names a folder that was made for a task. One that cannot be read needs it. */
async function isNeededByRuns(homePath: string, name: string): Promise<boolean> {
  const folder = join(homePath, 'comparisons');
  for (const file of await readdir(folder).catch(orEmpty)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => null);
    if (text === null) return true;
    if (text.includes(name) && isOpen(text)) return true;
  }
  return false;
}

function orEmpty(error: unknown): readonly string[] {
  if (isMissing(error)) return [];
  throw error;
}

function isOpen(text: string): boolean {
  try {
    return runsSchema.parse(JSON.parse(text)).runs.some(({ state }) => state !== 'ended');
  } catch {
    // It may be mended, and then go on.
    return true;
  }
}

async function sizeOf(path: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  // The size is only shown, so what cannot be examined counts as 0.
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  let total = 0;
  for (const name of await namesIn(path)) total += await sizeOf(join(path, name), signal);
  return total;
}

// What cannot be listed is not removed either.
const namesIn = (path: string): Promise<readonly string[]> =>
  readdir(path).catch(orNoted('A folder was not listed', []));
