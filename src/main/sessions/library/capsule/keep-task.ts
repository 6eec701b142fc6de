import type { CapsuleLeft } from '@shared/contract/capsules-contract.ts';
import { realPathOf } from '../../../lib/files/host-folder.ts';
import type { HiddenReach } from '../../attachments/hidden-files.ts';
import { writePackedLog } from '../packed-log.ts';
import { blobsOf, capsuleForm, type CapsuleTask, engineHere, type CapsuleHeader } from './capsule-file.ts';
import { readFirstState } from './first-state.ts';
import { findKept, hitsIn, type KeptOptions, refuseHits } from './kept-here.ts';

export interface KeepTaskOptions extends KeptOptions {
  readonly version: string;
  readonly hiddenIn: HiddenReach['hiddenIn'];
}

/** A task, and the folder with the files that it begins with. */
export interface TaskToKeep {
  /** Whose rules say what must stay on this machine. */
  readonly projectPath: string;
  readonly folder: string;
  readonly id: string;
  readonly title: string;
  readonly task: Omit<CapsuleTask, 'tests'>;
  /** Whether a file judges, and so is set back before the check. */
  readonly isTest: (path: string) => boolean;
}

/**
 * Writes a task that was made as a capsule, completely or not at all. Returns what stayed out. Rejects with `refused` if
 * its words must stay on this machine, and with `bad-input` if its files are too many.
 */
export async function keepTask(
  options: KeepTaskOptions,
  path: string,
  { projectPath, folder, id, title, task, isTest }: TaskToKeep,
  signal: AbortSignal,
): Promise<readonly CapsuleLeft[]> {
  const root = await realPathOf(folder);
  const hidden = await options.hiddenIn({ workspacePath: root, projectPath }, signal);
  const kept = await findKept(options, { sessionId: id, projectPath, root, hidden }, signal);
  refuseHits(hitsIn(kept, [title, task.request, task.check ?? '', JSON.stringify(task.answer)].join('\n')), 'The task');
  const first = await readFirstState(
    {
      root,
      // Nothing of it is of a later time.
      begunAt: Number.POSITIVE_INFINITY,
      restore: [],
      blobs: { get: async () => null },
      hidden,
      fences: kept.fences,
      hitsIn: (text) => hitsIn(kept, text),
      isLeftOut: () => false,
    },
    signal,
  );
  const header: CapsuleHeader = {
    sessionId: id,
    title,
    appVersion: options.version,
    engine: engineHere,
    models: [],
    replay: null,
    task: { ...task, tests: first.files.map((file) => file.path).filter(isTest) },
    files: [...first.files],
    left: [...first.left],
    changedSince: [],
    blobs: blobsOf(first.files),
  };
  const get = (ref: { readonly sha256: string }): Promise<Uint8Array | null> => first.bytesOf(ref.sha256);
  await writePackedLog(capsuleForm, { path, header, read: nothing, blobs: { get } }, signal);
  return first.left;
}

async function* nothing(): AsyncGenerator<never> {
  // No work on it is recorded.
}
