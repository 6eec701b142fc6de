import { z } from 'zod';
import { failure, success, type Reply } from '@shared/errors.ts';
import { createOneAtATime } from '../lib/async/one-at-a-time.ts';
import { wholeText } from '../lib/files/file-text.ts';
import type { ProjectFacts } from '../projects/facts/project-facts.ts';
import type { SandboxFiles, ScannedFiles } from '../sandbox/sandbox.ts';
import type { RankAsk } from './rank/rank-definitions.ts';
import type { SymbolCall, SymbolClient } from './process/symbol-client.ts';
import {
  foundNamesSchema,
  foundSymbolSchema,
  projectMapSchema,
  rankedSymbolSchema,
  type FoundNames,
  type FoundSymbol,
  type ProjectMap,
  type RankedSymbol,
} from './process/symbol-protocol.ts';
import { tagLanguageOf } from './tags/tag-languages.ts';

/**
 * The names of a workspace. Each call first takes in what has changed since the last one. Files are read only through
 * the sandbox's files, so what is hidden or ignored there is not known here either.
 */
export interface ProjectSymbols {
  /** Takes in what has changed. Goes on where an earlier one was cancelled. */
  readonly update: (signal: AbortSignal) => Promise<Reply<IndexedFiles>>;
  readonly find: (names: readonly string[], signal: AbortSignal) => Promise<Reply<FoundNames>>;
  /** The definitions of a file, by line. */
  readonly outline: (path: string, signal: AbortSignal) => Promise<Reply<readonly FoundSymbol[]>>;
  /** The best definitions first. */
  readonly rank: (
    ask: RankAsk & { readonly limit: number },
    signal: AbortSignal,
  ) => Promise<Reply<readonly RankedSymbol[]>>;
  readonly map: (ask: RankAsk & { readonly tokens: number }, signal: AbortSignal) => Promise<Reply<ProjectMap>>;
}

export interface IndexedFiles {
  /** In languages whose names can be found. */
  readonly files: number;
  /** How many were read now. */
  readonly read: number;
  /** The workspace has more such files than are taken in, or more files than are looked at. */
  readonly isCut: boolean;
}

export interface ProjectSymbolsOptions {
  /** Names the workspace, in the index on disk. */
  readonly project: string;
  readonly files: Pick<SandboxFiles, 'scan' | 'list' | 'readMany'>;
  /** Leaves out a file besides those that are hidden or ignored. */
  readonly isLeftOut?: () => Promise<(path: string) => boolean>;
  readonly client: SymbolClient;
}

const mostFiles = 50_000;
const mostBytes = 1024 * 1024;
const batchFiles = 200;
const batchBytes = 2 * 1024 * 1024;
const mostListed = 2_000_000;

export function createProjectSymbols(options: ProjectSymbolsOptions): ProjectSymbols {
  const { project, client } = options;
  const turns = createOneAtATime();
  const notIgnored = rememberIgnored(options.files);
  const update = async (signal: AbortSignal): Promise<Reply<IndexedFiles>> => {
    const leave = await turns.enter(signal);
    if (leave === null) return failure('cancelled', 'It was cancelled.');
    try {
      return await takeIn(options, notIgnored, signal);
    } finally {
      leave();
    }
  };
  const ask = async <T>(call: SymbolCall, schema: z.ZodType<T>, signal: AbortSignal): Promise<Reply<T>> => {
    const updated = await update(signal);
    if (!updated.ok) return updated;
    return answerOf(await client.call(call, signal), schema);
  };
  return {
    update,
    find: (names, signal) => ask({ type: 'find', project, names: [...names] }, foundNamesSchema, signal),
    outline: (path, signal) => ask({ type: 'outline', project, path }, z.array(foundSymbolSchema), signal),
    rank: ({ touched, ...rest }, signal) =>
      ask({ type: 'rank', project, touched: [...touched], ...rest }, z.array(rankedSymbolSchema), signal),
    map: ({ touched, ...rest }, signal) =>
      ask({ type: 'map', project, touched: [...touched], ...rest }, projectMapSchema, signal),
  };
}

/** The process reads untrusted files, so its answers are checked like theirs. */
function answerOf<T>(reply: Reply<unknown>, schema: z.ZodType<T>): Reply<T> {
  if (!reply.ok) return reply;
  const parsed = schema.safeParse(reply.value);
  return parsed.success ? success(parsed.data) : failure('internal', 'The index of names gave an answer of no use.');
}

type NotIgnored = (scanned: ScannedFiles, signal: AbortSignal) => Promise<Reply<ReadonlySet<string>>>;

/** What ignore files leave out is looked up again only if a file has come or gone, or an ignore file has changed. */
function rememberIgnored(files: ProjectSymbolsOptions['files']): NotIgnored {
  let known: { readonly scanned: ScannedFiles['files']; readonly paths: ReadonlySet<string> } | null = null;
  return async ({ files: scanned }, signal) => {
    if (known !== null && isSameTree(known.scanned, scanned)) return success(known.paths);
    const listing = await files.list('.', { limit: mostListed }, signal);
    if (!listing.ok) return listing;
    const paths = new Set(listing.value.entries.map(({ path }) => path));
    known = { scanned, paths };
    return success(paths);
  };
}

function isSameTree(left: ScannedFiles['files'], right: ScannedFiles['files']): boolean {
  if (left.size !== right.size) return false;
  for (const [path, { fingerprint }] of right) {
    const before = left.get(path);
    if (before === undefined) return false;
    if (before.fingerprint !== fingerprint && path.endsWith('.gitignore')) return false;
  }
  return true;
}

async function takeIn(
  { project, files, isLeftOut, client }: ProjectSymbolsOptions,
  notIgnored: NotIgnored,
  signal: AbortSignal,
): Promise<Reply<IndexedFiles>> {
  const scanned = await files.scan(signal);
  if (!scanned.ok) return scanned;
  const listed = await notIgnored(scanned.value, signal);
  if (!listed.ok) return listed;
  const leavesOut = (await isLeftOut?.()) ?? (() => false);
  const known = [...scanned.value.files].filter(
    ([path, { sizeBytes }]) =>
      tagLanguageOf(path) !== null && sizeBytes <= mostBytes && listed.value.has(path) && !leavesOut(path),
  );
  // The shallow ones are the project's own more often than the deep ones.
  const kept = known.length <= mostFiles ? known : known.toSorted(byDepth).slice(0, mostFiles);
  const present = new Map(kept);
  const pairs = kept.map(([path, { fingerprint }]): [string, string] => [path, fingerprint]);
  const sync = { type: 'sync', project, files: pairs } as const;
  const first = await client.call(sync, signal);
  // The process may have been ended, or its file on disk damaged. The next one begins anew.
  const again = !first.ok && first.error.code === 'internal' ? await client.call(sync, signal) : first;
  const needed = answerOf(again, z.array(z.string()));
  if (!needed.ok) return needed;
  let batch: string[] = [];
  let bytes = 0;
  for (const [at, path] of needed.value.entries()) {
    batch.push(path);
    bytes += present.get(path)?.sizeBytes ?? 0;
    const isLast = at === needed.value.length - 1;
    if (!isLast && batch.length < batchFiles && bytes < batchBytes) continue;
    const added = await addBatch({ project, files, client }, { paths: batch, present }, signal);
    if (!added.ok) return added;
    batch = [];
    bytes = 0;
  }
  return success({
    files: kept.length,
    read: needed.value.length,
    isCut: known.length > kept.length || scanned.value.isCut === true,
  });
}

function byDepth([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  const depths = left.split('/').length - right.split('/').length;
  return depths === 0 ? (left < right ? -1 : 1) : depths;
}

interface Batch {
  readonly paths: readonly string[];
  readonly present: ScannedFiles['files'];
}

async function addBatch(
  { project, files, client }: Pick<ProjectSymbolsOptions, 'project' | 'files' | 'client'>,
  { paths, present }: Batch,
  signal: AbortSignal,
): Promise<Reply<void>> {
  const read = await files.readMany(paths, { maxBytes: mostBytes }, signal);
  if (!read.ok) return read;
  const texts = paths.map((path) => {
    const bytes = read.value.get(path)?.bytes;
    const text = bytes === undefined ? null : (wholeText(bytes)?.text ?? null);
    return { path, fingerprint: present.get(path)?.fingerprint ?? '', text };
  });
  const done = await client.call({ type: 'add', project, files: texts }, signal);
  if (done.ok) return success(undefined);
  if (done.error.code === 'cancelled') return done;
  // A file ended the process. The others are known all the same, and that one has no names.
  for (const one of texts) {
    const alone = await client.call({ type: 'add', project, files: [one] }, signal);
    if (alone.ok) continue;
    const without = await client.call({ type: 'add', project, files: [{ ...one, text: null }] }, signal);
    if (!without.ok) return without;
  }
  return success(undefined);
}

const manyFiles = 15;
const manyBytes = 200_000;

/** Whether a project is so large that a map of its names helps. In a smaller one, the list of its files says enough. */
export function hasManyNames({
  sourceFiles,
  testFiles,
  languages,
}: Pick<ProjectFacts, 'sourceFiles' | 'testFiles' | 'languages'>): boolean {
  const known = [...sourceFiles, ...testFiles].filter((path) => tagLanguageOf(path) !== null);
  const bytes = languages.reduce((sum, { language, bytes: own }) => (language === 'other' ? sum : sum + own), 0);
  return known.length >= manyFiles || (known.length > 0 && bytes >= manyBytes);
}
