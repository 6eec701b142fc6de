import type { FenceHit, Fences, FenceSources } from '@shared/safety/fences.ts';
import { keptMarksOf } from '@shared/safety/fence-text.ts';
import { compileFences, foldedPath } from '@shared/safety/fences.ts';
import type { FencedTrace, FenceTaint } from './taint.ts';
import { createFenceTaint } from './taint.ts';
import { fileText } from '../lib/files/file-text.ts';
import type { FileContent, ListEntry, SandboxFiles } from '../sandbox/sandbox.ts';
import type { FenceMemory, FenceRecords, RememberedFile } from './fence-memory.ts';
import type { HiddenValues } from './hidden-values.ts';
import type { LookAtFiles } from './file-look.ts';

export interface ProjectFencesOptions {
  readonly projectPath: string | null;
  readonly projectFiles: Pick<SandboxFiles, 'list' | 'readMany'>;
  /** Absent: files are known by their paths only. */
  readonly lookAtFiles?: LookAtFiles;
  readonly isSecretFile: (path: string) => boolean;
  /** What models see in place of secrets. */
  readonly hidden: HiddenValues;
  /** What earlier sessions of the project knew, and this session; absent: they share nothing. */
  readonly memory?: FenceMemory;
  readonly sessionId?: string;
}

/** What is fenced in a project, before anything happened in a session. */
export interface ProjectFences {
  readonly fences: Fences;
  readonly taint: FenceTaint;
  /** Files under a new name. */
  readonly moved: readonly FencedTrace[];
}

const maxFiles = 200_000;
/** A larger file, and files beyond the sum, are known by name and number only. Then you are asked. */
const maxFileBytes = 4 * 1024 * 1024;
const maxFencedBytes = 4 * 1024 * 1024;
const filesAtOnce = 500;

interface FencedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly hits: readonly FenceHit[];
}

type Means = Pick<ProjectFencesOptions, 'projectFiles' | 'lookAtFiles'>;

export async function openProject(
  options: ProjectFencesOptions,
  settings: FenceSources,
  signal: AbortSignal,
): Promise<ProjectFences> {
  const { projectPath, isSecretFile, projectFiles, memory, sessionId } = options;
  const fences = compileFences({ settings, projectPath, isSecretFile });
  const remembered = (await memory?.read()) ?? nothing;
  const { entries, isCut } = await listFiles(projectFiles, signal);
  const steps: ((taint: FenceTaint) => void)[] = [];
  const fenced = entries.flatMap(({ path, sizeBytes }): FencedFile[] => {
    const hit = fences.ofPath(path);
    return hit === null ? [] : [{ path, sizeBytes, hits: [hit] }];
  });
  const found = await findRemembered(options, { fences, entries, remembered }, signal);
  const read = await readFenced(options, [...fenced, ...found.files], signal);
  const copies = tracesOf(await findCopies(projectFiles, { files: read.files, entries }, signal));
  steps.push(...found.steps, ...read.steps, (taint) => copies.forEach((trace) => taint.addTrace(trace)));
  if (isCut && (fences.hasPaths || remembered.files.length > 0)) {
    const hit = { rule: 'a folder too large to search', verdict: 'local-only', path: null, how: 'content' } as const;
    steps.push((taint) => {
      taint.expose(hit);
      taint.doubt({ ...hit, verdict: 'ask' });
    });
  }
  const fresh = (): FenceTaint => {
    const taint = createFenceTaint(fences, options.hidden.mask);
    for (const step of steps) step(taint);
    return taint;
  };
  const taint = fresh();
  for (const other of (await memory?.others()) ?? []) {
    if (other.sessionId === sessionId || (remembered.sessions.get(other.sessionId) ?? -1) >= other.lastAt) continue;
    const theirs = fresh();
    for await (const event of other.read()) theirs.add(event);
    const traces = theirs.takeTraces();
    for (const trace of traces) taint.addTrace(trace);
    const { files } = await rememberedFiles(options, pathsOf(traces), signal);
    await memory?.add({ traces, files, session: { sessionId: other.sessionId, at: other.lastAt } });
  }
  return { fences, taint, moved: [...found.moved, ...copies] };
}

const nothing: FenceRecords = { traces: [], files: [], sessions: new Map(), isIncomplete: false };

/** Keeps what this session found, and where the fenced files are now, so that they are known when they are moved. */
export async function rememberProject(
  options: ProjectFencesOptions,
  { fences, taint, moved }: ProjectFences,
  session: { readonly sessionId: string; readonly at: number },
  signal: AbortSignal,
): Promise<void> {
  const traces = [...moved, ...taint.takeTraces()];
  const { entries } = await listFiles(options.projectFiles, signal);
  const paths = new Map(pathsOf(traces));
  for (const { path } of entries) {
    const hit = fences.ofPath(path);
    if (hit !== null) paths.set(path, [...(paths.get(path) ?? []), hit]);
  }
  const seen = await rememberedFiles(options, paths, signal);
  await options.memory?.add({ traces: [...traces, ...seen.traces], files: seen.files, session });
}

function pathsOf(traces: readonly FencedTrace[]): ReadonlyMap<string, readonly FenceHit[]> {
  return new Map(traces.flatMap((trace) => (trace.type === 'path' ? [[trace.path, trace.hits] as const] : [])));
}

async function listFiles(
  projectFiles: Means['projectFiles'],
  signal: AbortSignal,
): Promise<{ readonly entries: readonly ListEntry[]; readonly isCut: boolean }> {
  const listing = await projectFiles.list('.', { depth: 64, all: true, limit: maxFiles }, signal);
  if (!listing.ok) return { entries: [], isCut: true };
  return {
    entries: listing.value.entries.filter(({ kind }) => kind !== 'folder'),
    isCut: listing.value.truncated,
  };
}

async function* readSome(
  projectFiles: Means['projectFiles'],
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly [path: string, file: FileContent | undefined, isRead: boolean]> {
  for (let at = 0; at < paths.length; at += filesAtOnce) {
    const some = paths.slice(at, at + filesAtOnce);
    const read = await projectFiles.readMany(some, { maxBytes: maxFileBytes }, signal);
    for (const path of some) yield [path, read.ok ? read.value.get(path) : undefined, read.ok];
  }
}

/** A smaller file may have the content of another one by chance. */
const leastCopyBytes = 16;

/**
 * Content, numbers and doubts of fenced files, as steps that any session of the project begins with. `files`: those by
 * whose content a copy is known.
 */
async function readFenced(
  { projectFiles, lookAtFiles }: Means,
  fenced: readonly FencedFile[],
  signal: AbortSignal,
): Promise<{ readonly steps: readonly ((taint: FenceTaint) => void)[]; readonly files: readonly RememberedFile[] }> {
  const steps: ((taint: FenceTaint) => void)[] = [];
  const files: RememberedFile[] = [];
  const byPath = new Map(fenced.map((file) => [file.path, file]));
  const each = (path: string, step: (taint: FenceTaint, hit: FenceHit) => void): void => {
    for (const hit of byPath.get(path)?.hits ?? []) steps.push((taint) => step(taint, hit));
  };
  for (const { path, id } of (await lookAtFiles?.(byPath.keys())) ?? []) {
    if (id !== undefined) each(path, (taint, hit) => taint.addId(hit, id));
  }
  let bytes = 0;
  const known = new Set(
    fenced.filter(({ sizeBytes }) => sizeBytes <= maxFileBytes && (bytes += sizeBytes) <= maxFencedBytes),
  );
  for (const file of fenced) {
    if (known.has(file)) continue;
    each(file.path, (taint, hit) => {
      taint.expose(hit);
      taint.doubt(tooLarge(hit));
    });
  }
  const paths = [...known].map(({ path }) => path);
  for await (const [path, file, isRead] of readSome(projectFiles, paths, signal)) {
    const texts = file === undefined ? [] : shownTexts(file.bytes);
    const hits = byPath.get(path)?.hits ?? [];
    if (file !== undefined && file.bytes.length >= leastCopyBytes)
      files.push({ type: 'file', path, sizeBytes: file.bytes.length, sha256: file.sha256, hits: [...hits] });
    each(path, (taint, hit) => {
      // A file that cannot be read counts as exposed in full. A masked file is empty and exposes nothing.
      if (texts.length === 0) taint.expose(hit);
      for (const text of texts) taint.addFile(hit, text);
      if (!isRead) taint.doubt(tooLarge(hit));
    });
  }
  return { steps, files };
}

/** A file as commands print it, and as tools show it if it is in another encoding. */
function shownTexts(bytes: Uint8Array): readonly string[] {
  const read = fileText(bytes);
  const printed = new TextDecoder().decode(bytes);
  return read === null || read.encoding === 'UTF-8' ? [printed] : [printed, read.text];
}

/** Copies of such a file cannot be recognized, so you are asked before anything of the session leaves. */
function tooLarge(hit: FenceHit): FenceHit {
  return { ...hit, rule: `${hit.rule} (too large to recognize copies)`, verdict: 'ask' };
}

interface FoundAgain {
  readonly steps: readonly ((taint: FenceTaint) => void)[];
  readonly files: readonly FencedFile[];
  readonly moved: readonly FencedTrace[];
}

/**
 * What earlier sessions knew, under the rules of now. A file that is gone from its place is looked for by its number and
 * its content.
 */
async function findRemembered(
  means: Means,
  {
    fences,
    entries,
    remembered,
  }: { readonly fences: Fences; readonly entries: readonly ListEntry[]; readonly remembered: FenceRecords },
  signal: AbortSignal,
): Promise<FoundAgain> {
  const now = (hits: readonly FenceHit[]): readonly FenceHit[] => hits.flatMap((hit) => fences.now(hit) ?? []);
  const steps: ((taint: FenceTaint) => void)[] = [];
  for (const trace of remembered.traces) {
    if (trace.type === 'path') {
      const hits = now(trace.hits);
      if (hits.length > 0) steps.push((taint) => taint.addTrace({ ...trace, hits }));
    } else {
      const [hit] = now([trace.hit]);
      if (hit !== undefined) steps.push((taint) => taint.addTrace({ ...trace, hit }));
    }
  }
  if (remembered.isIncomplete) {
    const hit = { rule: 'what earlier sessions knew, of which a part is lost', verdict: 'ask', path: null } as const;
    steps.push((taint) => taint.doubt({ ...hit, how: 'built-from' }));
  }
  const files = remembered.files
    .map((file) => ({ ...file, hits: [...now(file.hits)] }))
    .filter(({ hits }) => hits.length > 0);
  const here = new Map(entries.map((entry) => [foldedPath(entry.path), entry]));
  const gone = files.filter(({ path }) => !here.has(foldedPath(path)));
  const copies = [
    ...(await findCopies(means.projectFiles, { files, entries }, signal)),
    ...(await findRenamed(means, { files: gone, entries })),
  ];
  const again: FencedFile[] = [];
  for (const file of files) {
    const { id, hits } = file;
    if (id !== undefined) steps.push((taint) => hits.forEach((hit) => taint.addId(hit, id)));
    const entry = here.get(foldedPath(file.path));
    if (entry !== undefined && fences.ofPath(file.path) === null) again.push({ ...entry, hits });
  }
  for (const { entry, of } of copies) again.push({ ...entry, hits: of.hits });
  const moved = tracesOf(copies);
  steps.push((taint) => moved.forEach((trace) => taint.addTrace(trace)));
  return { steps, files: again, moved };
}

interface Copy {
  readonly entry: ListEntry;
  readonly of: RememberedFile;
}

function tracesOf(copies: readonly Copy[]): readonly FencedTrace[] {
  return copies.map(({ entry, of }) => ({ type: 'path', path: entry.path, hits: of.hits }));
}

/** Files with the number of a remembered one that is gone from its place. */
async function findRenamed(
  { lookAtFiles }: Means,
  { files, entries }: { readonly files: readonly RememberedFile[]; readonly entries: readonly ListEntry[] },
): Promise<readonly Copy[]> {
  const byId = new Map(files.flatMap((file) => (file.id === undefined ? [] : [[file.id, file] as const])));
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  if (byId.size === 0) return [];
  const looks = (await lookAtFiles?.(byPath.keys())) ?? [];
  return looks.flatMap(({ path, id }): Copy[] => {
    const entry = byPath.get(path);
    const of = id === undefined ? undefined : byId.get(id);
    return entry === undefined || of === undefined ? [] : [{ entry, of }];
  });
}

/** Files with the content of a remembered one, under another name. */
async function findCopies(
  projectFiles: Means['projectFiles'],
  { files, entries }: { readonly files: readonly RememberedFile[]; readonly entries: readonly ListEntry[] },
  signal: AbortSignal,
): Promise<readonly Copy[]> {
  const byHash = new Map(files.flatMap((file) => (file.sha256 === undefined ? [] : [[file.sha256, file] as const])));
  const sizes = new Set(files.flatMap(({ sizeBytes, sha256 }) => (sha256 === undefined ? [] : [sizeBytes])));
  const own = new Set(files.map(({ path }) => foldedPath(path)));
  const maybe = new Map(
    entries
      .filter(({ path, sizeBytes }) => sizeBytes > 0 && sizes.has(sizeBytes) && !own.has(foldedPath(path)))
      .map((entry) => [entry.path, entry]),
  );
  const found: Copy[] = [];
  for await (const [path, file] of readSome(projectFiles, [...maybe.keys()], signal)) {
    const of = file === undefined ? undefined : byHash.get(file.sha256);
    const entry = maybe.get(path);
    if (of !== undefined && entry !== undefined) found.push({ entry, of });
  }
  return found;
}

async function rememberedFiles(
  { projectFiles, lookAtFiles }: Means,
  hitsOf: ReadonlyMap<string, readonly FenceHit[]>,
  signal: AbortSignal,
): Promise<{ readonly files: readonly RememberedFile[]; readonly traces: readonly FencedTrace[] }> {
  const ids = new Map<string, string | undefined>();
  for (const { path, id } of (await lookAtFiles?.(hitsOf.keys())) ?? []) ids.set(path, id);
  const files: RememberedFile[] = [];
  const traces: FencedTrace[] = [];
  for await (const [path, file] of readSome(projectFiles, [...hitsOf.keys()], signal)) {
    const id = ids.get(path);
    if (file === undefined && id === undefined) continue;
    // By these a copy is known when the file is gone.
    const hit = (hitsOf.get(path) ?? []).find(({ verdict }) => verdict !== 'redact');
    const marks =
      file === undefined || hit === undefined ? [] : shownTexts(file.bytes).flatMap((text) => [...keptMarksOf(text)]);
    if (hit !== undefined && marks.length > 0) traces.push({ type: 'marks', hit, marks });
    files.push({
      type: 'file',
      path,
      ...(id === undefined ? {} : { id }),
      // A masked file is empty for the sandbox.
      ...(file === undefined || file.bytes.length === 0 ? {} : { sizeBytes: file.bytes.length, sha256: file.sha256 }),
      hits: [...(hitsOf.get(path) ?? [])],
    });
  }
  return { files, traces };
}
