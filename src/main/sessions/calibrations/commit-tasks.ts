import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diffLines } from 'diff';
import { z } from 'zod';
import type { TaskFile } from '@shared/calibration/calibration.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { PastChange, PastChanges } from '../../git/past/past-change.ts';
import type { RunGit } from '../../git/process/run-apart.ts';
import { isTestFile } from '../../projects/facts/gather-project-facts.ts';
import { tagLanguageOf } from '../../symbols/tags/tag-languages.ts';
import { sizeOf, type TaskOrReason } from './fault-tasks.ts';
import { requestOfCommit } from './task-request.ts';
import { commandForFiles, openTrialPlace, type TrialOptions } from './trial-place.ts';

const pastChangesSchema: z.ZodType<PastChanges> = z.object({
  commits: z.array(z.object({ id: z.string(), parent: z.string(), message: z.string(), paths: z.array(z.string()) })),
  isCut: z.boolean(),
  isShallow: z.boolean(),
});
const textsSchema = z.array(z.object({ path: z.string(), text: z.string().nullable(), isThere: z.boolean() }));
const checkedOutSchema = z.object({ files: z.number(), notes: z.array(z.string()) });

const mostCommits = 500;
const mostFiles = 12;
const mostTextCharacters = 1_000_000;

/** The commits that changed both code and tests, latest first, and what cannot be known of the history. */
export async function commitCandidates(
  runGit: RunGit,
  historyPath: string,
  signal: AbortSignal,
): Promise<{ readonly commits: readonly PastChange[]; readonly notes: readonly string[] }> {
  const job = { type: 'past-changes', projectPath: historyPath, most: mostCommits } as const;
  const found = await runGit(job, { schema: pastChangesSchema, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof AppError && error.code === 'not-found'
      ? 'The project has no git history, so there are no tasks from past commits.'
      : `Past commits are left out: ${messageOf(error)}`;
  });
  if (typeof found === 'string') return { commits: [], notes: [found] };
  const commits = found.commits.filter(({ paths }) => {
    const code = paths.filter((path) => tagLanguageOf(path) !== null && !isTestFile(path));
    return paths.length <= mostFiles && code.length > 0 && code.length <= 6 && paths.some(isTestFile);
  });
  const shallow = found.isShallow ? ['The history is shallow: older commits are only at the remote.'] : [];
  const none = commits.length === 0 ? ['No past commit that was looked at changed both code and tests.'] : [];
  return { commits, notes: [...shallow, ...none] };
}

/** Writes the files of a commit into a new folder, without history. */
export async function checkOutInto(
  runGit: RunGit,
  { historyPath, commit, folder }: { readonly historyPath: string; readonly commit: string; readonly folder: string },
  signal: AbortSignal,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await runGit({ type: 'check-out', projectPath: historyPath, commit, folder }, { schema: checkedOutSchema, signal });
}

export interface CommitSource {
  readonly runGit: RunGit;
  readonly historyPath: string;
  readonly projectPath: string;
  /** A folder of its own beside the other copies. */
  readonly folder: string;
  readonly id: string;
  readonly trial: TrialOptions;
}

/** The files before a commit with its tests: a task, if its check fails there twice and passes after the change twice. */
export async function taskOfCommit(
  source: CommitSource,
  commit: PastChange,
  signal: AbortSignal,
): Promise<TaskOrReason> {
  const texts = await textsOf(source, commit, signal);
  if (texts === null) return { why: 'a commit changed a file that is no text' };
  const { tests, solution, before, added } = texts;
  const runnable = tests.filter(({ path, text }) => text !== null && /test|spec/iu.test(path.split('/').at(-1) ?? ''));
  const named = runnable.map(({ path }) => path);
  const request = requestOfCommit(commit.message, { added, before, tests: named.slice(0, 4) });
  if (request === null || named.length === 0) return { why: 'the message of a commit says too little, or the answer' };
  const { id, projectPath, folder, historyPath, runGit } = source;
  await checkOutInto(runGit, { historyPath, commit: commit.parent, folder }, signal);
  const place = await openTrialPlace(source.trial, { id, projectPath, folder }, signal);
  try {
    const { test } = place.facts;
    if (test === null) return { why: 'there were no tests before a commit' };
    const check = commandForFiles(test, named) ?? test.command;
    await place.put(tests);
    for (let count = 0; count < 2; count += 1)
      if ((await place.run(check, signal)).passed !== false)
        return { why: 'the tests of a commit did not fail before it' };
    await place.put(solution);
    for (let count = 0; count < 2; count += 1)
      if ((await place.run(check, signal)).passed !== true)
        return { why: 'the tests of a commit do not pass after it here' };
    const lines = added.length;
    return {
      task: {
        kind: 'commit',
        size: sizeOf(lines * 2),
        language: tagLanguageOf(solution.find(({ path }) => tagLanguageOf(path) !== null)?.path ?? '') ?? 'other',
        title: `${commit.id.slice(0, 10)} ${commit.message.split('\n', 1)[0]?.slice(0, 80) ?? ''}`,
        request,
        check,
        commit: commit.parent,
        files: tests,
        solution,
        tests: tests.map(({ path }) => path),
        answer: null,
        verified: { failedBefore: 2, passedAfter: 2 },
      },
    };
  } finally {
    await place.dispose();
  }
}

interface CommitTexts {
  readonly tests: TaskFile[];
  readonly solution: TaskFile[];
  /** The code as it was, as one text, and the lines that the change adds to it. */
  readonly before: string;
  readonly added: readonly string[];
}

async function textsOf(
  { runGit, historyPath }: CommitSource,
  { id, parent, paths }: PastChange,
  signal: AbortSignal,
): Promise<CommitTexts | null> {
  const at = (commit: string) =>
    runGit({ type: 'texts-at', projectPath: historyPath, commit, paths: [...paths] }, { schema: textsSchema, signal });
  const [old, now] = [await at(parent), await at(id)];
  if ([...old, ...now].some(({ isThere, text }) => isThere && text === null)) return null;
  const files = now.map(({ path, text }) => ({ path, text }));
  if (files.reduce((sum, { text }) => sum + (text?.length ?? 0), 0) > mostTextCharacters) return null;
  const isTest = (path: string): boolean => isTestFile(path) || /(?:^|\/)(?:tests?|__tests__|spec)\//u.test(path);
  const solution = files.filter(({ path }) => !isTest(path));
  const code = solution.filter(({ path }) => tagLanguageOf(path) !== null);
  const textBefore = (path: string): string => old.find((one) => one.path === path)?.text ?? '';
  const added = code.flatMap(({ path, text }) =>
    diffLines(textBefore(path), text ?? '').flatMap((part) =>
      part.added === true ? part.value.split('\n').filter((line) => line.trim() !== '') : [],
    ),
  );
  return {
    tests: files.filter(({ path }) => isTest(path)),
    solution,
    before: code.map(({ path }) => textBefore(path)).join('\n'),
    added,
  };
}

export const historyFolder = (workspaces: string, id: string): string => join(workspaces, `${id}-history`);
/** Where the files of a commit are tried. */
export const pastFolder = (workspaces: string, id: string): string => join(workspaces, `${id}-past`);
