import { readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { documentKinds } from '@shared/documents/document-text.ts';
import { mostKnowledgeFiles, type KnowledgeFile, type KnowledgeSource } from '@shared/documents/knowledge.ts';
import { AppError } from '@shared/errors.ts';
import { makeFolder, readJsonFile, writeFileAtomic, writeJsonFile } from '../../lib/files/json-file.ts';
import { nothingToUndo, type WayBack } from '../../lib/async/all-or-none.ts';
import { createInTurn } from '../../lib/async/in-turn.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import { sha256Of } from '../../lib/sha256.ts';

const sourceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), path: z.string() }),
  z.object({ type: z.literal('page'), url: z.string() }),
]);

const keptSchema = z.object({
  name: z.string(),
  sha256: z.string(),
  kind: z.enum(documentKinds).nullable(),
  pages: z.number(),
  tokens: z.number(),
  from: sourceSchema,
  addedAt: z.number(),
  isWhole: z.boolean(),
});
type Kept = z.infer<typeof keptSchema>;

/** `leaving`: names whose text may still be in the index, because a removal was cut off. */
const listSchema = z.object({ files: z.array(keptSchema), leaving: z.array(z.string()).default([]) });
type List = z.infer<typeof listSchema>;

/** A document that can be kept, with what was found by reading it. */
export interface NewKnowledge extends Pick<KnowledgeFile, 'kind' | 'pages' | 'tokens' | 'addedAt'> {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly from: KnowledgeSource;
}

export interface KeptKnowledge {
  readonly name: string;
  readonly outcome: 'added' | 'replaced' | 'same';
}

/** The copies of the knowledge of projects, in the home. One change of a project runs at a time. */
export interface KnowledgeFiles {
  /** The folder with the copies of a project, with links resolved, whether it is there or not. */
  readonly folderOf: (projectPath: string) => Promise<string>;
  /** The files that are there, by name. One without details was put there by hand, or its list is damaged. */
  readonly list: (projectPath: string) => Promise<readonly KnowledgeFile[]>;
  /** The same source again replaces its copy. Rejects with the error of the file system; the old copy stays then. */
  readonly keep: (projectPath: string, file: NewKnowledge) => Promise<KeptKnowledge>;
  /** Removes the copy. Its name is `leaving` until `left`. Rejects with `not-found`. */
  readonly remove: (projectPath: string, name: string) => Promise<void>;
  readonly leaving: (projectPath: string) => Promise<readonly string[]>;
  readonly left: (projectPath: string, names: readonly string[]) => Promise<void>;
  readonly setWhole: (projectPath: string, name: string, isWhole: boolean) => Promise<void>;
  /** Takes the copies of a project to another key, where there are none yet. */
  readonly moveTo: (from: string, to: string) => Promise<WayBack>;
}

/** `home`: the copies of each project lie in a folder of their own in `knowledge/` there, and their list beside it. */
export function createKnowledgeFiles(home: string): KnowledgeFiles {
  const folderOf = async (projectPath: string): Promise<string> => {
    const key = await projectKey(projectPath);
    const name = basename(key).replaceAll(/[^\p{L}\p{N}_-]+/gu, '-');
    const root = await realpath(home).catch(() => home);
    return join(root, 'knowledge', `${name}-${sha256Of(key).slice(0, 12)}`);
  };
  const inTurn = createInTurn();
  const change = (projectPath: string, make: (list: List) => List): Promise<void> =>
    inTurn(async () => {
      const folder = await folderOf(projectPath);
      await writeList(folder, make(await readList(folder)));
    });
  const moveTo = (from: string, to: string): Promise<WayBack> =>
    inTurn(async () => {
      const [old, next] = [await folderOf(from), await folderOf(to)];
      if ((await listed(old)).length === 0 || (await listed(next)).length > 0) return nothingToUndo;
      await rm(next, { recursive: true, force: true });
      const list = await readList(old);
      // The list first: without its copies, it counts as empty.
      await writeList(next, list);
      await rename(old, next);
      await rm(listPath(old), { force: true });
      return () => moveTo(to, from);
    });
  return {
    folderOf,
    list: async (projectPath) => listed(await folderOf(projectPath)),
    keep: (projectPath, file) => inTurn(async () => keep(await folderOf(projectPath), file)),
    remove: (projectPath, name) => inTurn(async () => remove(await folderOf(projectPath), name)),
    leaving: async (projectPath) => (await readList(await folderOf(projectPath))).leaving,
    left: (projectPath, names) =>
      change(projectPath, (list) => ({ ...list, leaving: list.leaving.filter((name) => !names.includes(name)) })),
    moveTo,
    setWhole: async (projectPath, name, isWhole) => {
      const isThere = (await listed(await folderOf(projectPath))).some((one) => one.name === name);
      if (!isThere) throw notThere(name);
      await change(projectPath, (list) => ({
        ...list,
        files: list.files.map((one) => (one.name === name ? { ...one, isWhole } : one)),
      }));
    },
  };
}

const listPath = (folder: string): string => `${folder}.json`;

/** A damaged list counts as empty: the files are there, and only where they came from is not known any more. */
async function readList(folder: string): Promise<List> {
  const found = await readJsonFile(listPath(folder), (value) => listSchema.parse(value));
  return found.type === 'value' ? found.value : { files: [], leaving: [] };
}

const writeList = (folder: string, list: List): Promise<void> => writeJsonFile(listPath(folder), list);

async function listed(folder: string): Promise<readonly KnowledgeFile[]> {
  const { files } = await readList(folder);
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => !name.startsWith('.'));
  const found = await Promise.all(
    names.toSorted().map(async (name): Promise<readonly KnowledgeFile[]> => {
      const stats = await stat(join(folder, name)).catch(() => null);
      if (stats?.isFile() !== true) return [];
      const { size: sizeBytes, mtimeMs } = stats;
      const known = files.find((one) => one.name === name);
      if (known === undefined)
        return [{ name, sizeBytes, kind: null, pages: 1, tokens: 0, from: null, addedAt: mtimeMs, isWhole: false }];
      const { kind, pages, tokens, from, addedAt, isWhole } = known;
      return [{ name, sizeBytes, kind, pages, tokens, from, addedAt, isWhole }];
    }),
  );
  return found.flat();
}

/** The names of the copies, by one listing: a look at each takes far longer, and 500 files that are added take 500 looks. */
async function fileNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // Only a look says where a link leads, or what an entry is on a disk that does not tell.
  if (entries.some((entry) => !entry.isFile() && !entry.isDirectory()))
    return (await listed(folder)).map(({ name }) => name);
  return entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : []));
}

async function keep(folder: string, { bytes, ...file }: NewKnowledge): Promise<KeptKnowledge> {
  const list = await readList(folder);
  const there = new Set(await fileNames(folder));
  const isThere = ({ name }: Kept): boolean => there.has(name);
  const sha256 = sha256Of(bytes);
  const before = list.files.find((one) => isSame(one.from, file.from) && isThere(one));
  const equal = list.files.find((one) => one.sha256 === sha256 && isThere(one));
  if (equal !== undefined && (before === undefined || before === equal)) return { name: equal.name, outcome: 'same' };
  if (before === undefined && there.size >= mostKnowledgeFiles) {
    const hint = 'Remove what is not needed any more, or search a whole folder: dewpoint projects folders add FOLDER';
    throw new AppError('too-large', `A project's knowledge takes ${mostKnowledgeFiles} files.`, { hint });
  }
  const name = before?.name ?? freeName(file.name, new Set([...there].map((one) => one.toLowerCase())));
  await makeFolder(folder);
  await writeFileAtomic(join(folder, name), bytes);
  const isWhole = before?.isWhole ?? false;
  const others = list.files.filter((one) => one.name !== name && isThere(one));
  await writeList(folder, { ...list, files: [...others, { ...file, name, sha256, isWhole }] });
  return { name, outcome: before === undefined ? 'added' : 'replaced' };
}

/** The list first, so that a cut-off removal is known, and finished by the next change. */
async function remove(folder: string, name: string): Promise<void> {
  const list = await readList(folder);
  if (!(await listed(folder)).some((one) => one.name === name)) throw notThere(name);
  const leaving = [...new Set([...list.leaving, name])];
  await writeList(folder, { files: list.files.filter((one) => one.name !== name), leaving });
  await rm(join(folder, name), { force: true });
}

function notThere(name: string): AppError {
  return new AppError('not-found', `The knowledge has no file "${name}". Nothing was changed.`);
}

function isSame(one: KnowledgeSource, other: KnowledgeSource): boolean {
  if (one.type === 'file') return other.type === 'file' && one.path === other.path;
  return other.type === 'page' && one.url === other.url;
}

/** Another file of this name stays: the new one gets a number. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  for (let count = 1; ; count += 1) {
    const one = count === 1 ? name : `${stem}-${count}${ending}`;
    if (!taken.has(one.toLowerCase())) return one;
  }
}
