import { z } from 'zod';
import { knownAnswerSchema } from '@shared/calibration/known-answer.ts';
import { longestTask } from '@shared/comparisons/comparison.ts';
import { AppError } from '@shared/errors.ts';
import { type BlobRef, blobRefSchema } from '@shared/events/blob-ref.ts';
import { canonicalJson } from '../../../lib/canonical-json.ts';
import { isGitName, nameProblem } from '../../../lib/files/host-folder.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { engineVersion } from '../../../models/engine/engine-packages.ts';
import type { PackedForm } from '../packed-log.ts';

/**
 * The most files of a capsule, and the most bytes: of one of them, of all together, of its log, which is held in memory
 * to be replayed, and of everything that is stored beside it.
 */
export const capsuleLimits = {
  files: 20_000,
  fileBytes: 16 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
  logBytes: 64 * 1024 * 1024,
  blobBytes: 2 * 1024 * 1024 * 1024,
} as const;

const maxPathBytes = 4096;
const maxDepth = 64;

const fileSchema = z.strictObject({
  path: z.string().min(1).refine(isPlainPath),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  bytes: z.number().int().nonnegative().max(capsuleLimits.fileBytes),
  canRun: z.boolean(),
});
export type CapsuleFile = z.infer<typeof fileSchema>;

/** A task that was made, not taken from a session: its log is empty. */
const taskSchema = z.strictObject({
  kind: z.string().min(1).max(100),
  request: z.string().min(1).max(longestTask),
  /** The command that decides. Null: `answer` does. */
  check: z.string().min(1).max(10_000).nullable(),
  /** Files of the capsule that are as they were again before the command runs. */
  tests: z.array(z.string().max(maxPathBytes)).max(capsuleLimits.files),
  answer: knownAnswerSchema.nullable(),
});
export type CapsuleTask = z.infer<typeof taskSchema>;

const headerSchema = z.strictObject({
  sessionId: z.string().max(100),
  title: z.string().max(100_000),
  appVersion: z.string().max(100),
  /** The engine for models on this machine, and its version. */
  engine: z.string().max(200),
  models: z
    .array(
      z.strictObject({
        id: z.string().max(500),
        where: z.enum(['local', 'cloud']),
        digest: z.string().max(200).nullable(),
      }),
    )
    .max(200),
  /** Null: no work on it is recorded. */
  replay: z.strictObject({ hash: z.string().length(64), difference: z.string().max(100_000).nullable() }).nullable(),
  task: taskSchema.optional(),
  files: z.array(fileSchema).max(capsuleLimits.files).refine(areApart),
  left: z.array(z.strictObject({ path: z.string().max(maxPathBytes), why: z.string().max(1000) })).max(100_000),
  changedSince: z.array(z.string().max(maxPathBytes)).max(capsuleLimits.files),
  blobs: z.array(blobRefSchema).max(500_000),
});
export type CapsuleHeader = z.infer<typeof headerSchema>;

/**
 * A task in one file: the log of its session, and the files as they were before it. The blobs are those of the log and
 * the contents of the files, sorted by their hash, and nothing in it says when it was made. So the same session and the
 * same files make the same bytes.
 */
export const capsuleForm: PackedForm<CapsuleHeader> = {
  name: 'dewpoint-capsule',
  version: 1,
  schema: headerSchema,
  most: capsuleLimits,
  noun: 'a capsule',
  hint: 'Nothing of it was used.',
};

export const engineHere = `node-llama-cpp ${engineVersion}`;

/** Each once, sorted by its hash. */
export function blobsOf(all: readonly BlobRef[]): BlobRef[] {
  const each = new Map(all.map(({ sha256, bytes }) => [sha256, { sha256, bytes }]));
  return [...each.values()].sort((left, right) => (left.sha256 < right.sha256 ? -1 : 1));
}

/** One hash over what the files of a capsule are. */
export function hashOfFiles(files: readonly CapsuleFile[]): string {
  const sorted = [...files].sort((left, right) => (left.path < right.path ? -1 : 1));
  return sha256Of(canonicalJson(sorted.map(({ path, sha256, canRun }) => [path, sha256, canRun])));
}

/** Whether a path can only lead to a place inside the folder that it is unpacked into. */
export function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return (
    Buffer.byteLength(path) <= maxPathBytes &&
    names.length <= maxDepth &&
    names.every((name) => nameProblem(name, 'linux') === null && !isGitName(name))
  );
}

/** Whether no two are the same, and none is the folder of another. */
function areApart(files: readonly CapsuleFile[]): boolean {
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size !== files.length) return false;
  return files.every(({ path }) => {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      if (paths.has(path.slice(0, at))) return false;
    }
    return true;
  });
}

/** Throws `bad-input` for a header whose files are not among its blobs, or are too many bytes together. */
export function checkHeader({ files, blobs, task, replay }: CapsuleHeader): void {
  const known = new Map(blobs.map(({ sha256, bytes }) => [sha256, bytes]));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const paths = new Set(files.map(({ path }) => path));
  const isTold = task === undefined ? replay !== null : task.check !== null || task.answer !== null;
  const hasTests = task === undefined || task.tests.every((path) => paths.has(path));
  const hasFiles = total <= capsuleLimits.bytes && files.every(({ sha256, bytes }) => known.get(sha256) === bytes);
  if (hasFiles && hasTests && isTold) return;
  const what = hasFiles && hasTests ? 'its task has nothing that judges it' : 'its list of files is wrong';
  throw new AppError('bad-input', `This is not a capsule, or it is damaged: ${what}.`, { hint: capsuleForm.hint });
}
