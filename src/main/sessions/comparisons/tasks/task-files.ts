import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { EvalTask } from '@shared/comparisons/eval-tasks.ts';
import type { UnpackedCapsule } from '@shared/contract/capsules-contract.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { isMissing } from '../../../lib/files/json-file.ts';
import { isLoadedByTests } from '../../../safety/guarded-files.ts';
import { createSafeFolder } from '../../changes/safe-folder.ts';

/** What reading tasks needs. Projects that have to be made are made below `workspaces` of the home. */
export interface TaskReading {
  readonly home: string;
  /** Where the repositories of records are. */
  readonly repos: string | null;
  /** Whether the person wants experiments, in which a command answers falsely. */
  readonly experiments: boolean;
  /** Unpacks a capsule into a new folder. */
  readonly unpack: (from: { readonly path: string; readonly folder: string }) => Promise<UnpackedCapsule>;
  /** The project that a calibration made a capsule of. Null: none of this machine did. */
  readonly projectOf: (capsule: string) => Promise<string | null>;
  readonly signal: AbortSignal;
}

/** A task, or why it is none. */
export type ReadTask = EvalTask | { readonly id: string; readonly why: string };

/** Where a project of a task is made: the same place each time, so that an evaluation can go on. */
export function placeOfTask({ home }: TaskReading, source: string, id: string): string {
  const name = createHash('sha256').update(`${source}\n${id}`).digest('hex').slice(0, 16);
  return join(home, 'workspaces', `eval-${name}`);
}

const mostFileBytes = 64 * 1024 * 1024;

/**
 * Copies the files of a folder over a workspace in which an agent has worked. Follows no link, on either side. Rejects
 * if one cannot be written: then nobody can judge the work.
 */
export async function layOver(from: string, workspacePath: string): Promise<void> {
  const folder = createSafeFolder(workspacePath);
  const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new AppError('not-found', `The files that judge this task are no longer in ${from}.`, {
      hint: 'What the agent did is kept. Put them back, and start again: then it is only judged.',
    });
  });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const place = join(entry.parentPath, entry.name);
    const names = relative(from, place).split(/[\\/]/u);
    const path = names.join('/');
    const bytes = await readFileBelow(from, names, mostFileBytes);
    const mode = (await stat(place)).mode & 0o777;
    const isDone = bytes !== null && (await folder.write(path, { bytes, mode }, (now) => now.type !== 'other'));
    if (!isDone) {
      throw new AppError('bad-input', `${path} could not be laid over the copy, so the run cannot be judged.`, {
        hint: 'The agent left something else in its place.',
      });
    }
  }
}

/**
 * Sets the files that a test runner loads by itself back to what they were in `from`, and removes new ones: else an agent
 * could decide with one of them which tests pass. `isAsked`: the task is about this file, so it stays. Follows no link.
 * Returns what puts them back as the agent left them. Rejects with an AppError if that is not possible.
 */
export async function resetTestSetup(
  from: string,
  workspacePath: string,
  isAsked: (path: string) => boolean = () => false,
): Promise<() => Promise<void>> {
  const folder = createSafeFolder(workspacePath);
  const all = new Set([...(await testSetupIn(from)), ...(await testSetupIn(workspacePath))]);
  const left = new Map<string, { readonly bytes: Uint8Array; readonly mode: number } | null>();
  for (const path of [...all].filter((one) => !isAsked(one))) {
    const own = await readFileBelow(workspacePath, path.split('/'), mostFileBytes);
    const ownMode = (await stat(join(workspacePath, path)).catch(() => null))?.mode ?? 0o644;
    left.set(path, own === null ? null : { bytes: own, mode: ownMode & 0o777 });
    const bytes = await readFileBelow(from, path.split('/'), mostFileBytes);
    const now = await folder.look(path);
    const isLink = now.type === 'other' && now.what === 'a link';
    if (isLink || (bytes === null && now.type === 'file')) await folder.remove(path, () => true);
    if (bytes === null) continue;
    const mode = (await stat(join(from, path))).mode & 0o777;
    if (!(await folder.write(path, { bytes, mode }, ({ type }) => type !== 'other'))) {
      throw new AppError('conflict', `${path} could not be set back to what it was.`);
    }
  }
  return async () => {
    for (const [path, file] of left) {
      if (file === null) await folder.remove(path, ({ type }) => type === 'file');
      else await folder.write(path, file, ({ type }) => type !== 'other');
    }
  };
}

/** The paths of such files, links too. Packages are not looked at. */
async function testSetupIn(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error: unknown) => {
      throw new AppError('conflict', `${path} could not be read: ${messageOf(error)}`);
    });
    for (const entry of entries) {
      const place = path === '' ? entry.name : `${path}/${entry.name}`;
      if (!entry.isDirectory() && isLoadedByTests(entry.name)) found.push(place);
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') await visit(place);
    }
  };
  await visit('');
  return found;
}
