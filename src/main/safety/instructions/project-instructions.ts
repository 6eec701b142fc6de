import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { InstructionFile, InstructionState } from '@shared/safety/instruction-files.ts';
import {
  deepestInstructions,
  definitionFolder,
  folderInstructions,
  instructionPaths,
  maxInstructionBytes,
} from '@shared/safety/instruction-files.ts';
import { openFolderBelow, readFileBelow } from '../../lib/files/host-folder.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { nothingToUndo, type WayBack } from '../../lib/async/all-or-none.ts';
import { byProjectKey } from '../../lib/files/project-key.ts';
import { readdir } from 'node:fs/promises';
import { sha256Of } from '../../lib/sha256.ts';
import { hasNoFolder, needFolder } from '@shared/projects/project-keys.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { diffHunks, nameInDiff } from '../../lib/unified-diff.ts';
import { utf8Text } from '../../lib/utf8-text.ts';
import { noteFailure } from '../../lib/log.ts';

/** What is known about the bytes of a file. */
export interface InstructionCheck {
  readonly sha256: string;
  readonly state: InstructionState;
  readonly text: string | null;
  readonly diff: string | null;
  readonly problem: string | null;
}

/**
 * The instructions that projects bring along. They come from whoever wrote the project and speak to a model that can
 * act here, so they are used only after the user has approved exactly these bytes. Approvals are stored in the home by
 * project folder and path, with the approved text, so that a change can be shown.
 */
export interface ProjectInstructions {
  /** What is known about these bytes of a file. */
  readonly check: (folder: string, path: string, bytes: Uint8Array) => Promise<InstructionCheck>;
  /** All such files of a project in their present form. Starts no program and follows no link. */
  readonly list: (folder: string) => Promise<readonly InstructionFile[]>;
  /** Only the definitions of kinds of agents; nothing else in the project is read. */
  readonly definitions: (folder: string) => Promise<readonly InstructionFile[]>;
  /** Only the skills and prompt files. */
  readonly offered: (folder: string) => Promise<readonly InstructionFile[]>;
  /** Stores the approval of a text that `look` has shown. */
  readonly keep: (folder: string, path: string, text: string) => Promise<void>;
  /** Approves the present file. Rejects with `conflict` if its bytes differ from those that were shown. */
  readonly approve: (folder: string, path: string, sha256: string) => Promise<void>;
  /** The folder lies elsewhere now. Its files stay approved as long as their bytes are the approved ones. */
  readonly moveTo: (from: string, to: string) => Promise<WayBack>;
  /** Withdraws approvals; `path` null: all of the project. Returns the paths that had one. */
  readonly forget: (folder: string, path: string | null) => Promise<readonly string[]>;
}

const keptSchema = z.record(z.string(), z.record(z.string(), z.object({ sha256: z.string(), text: z.string() })));
type Kept = z.infer<typeof keptSchema>;

/** Further things of a project that need the same approval: its skills and prompt files. */
export interface OfferedFiles {
  /** `bytes`: what a person is shown of one; null if it cannot be shown. */
  readonly all: (folder: string) => Promise<readonly OfferedBytes[]>;
  /** Undefined: the path is none of theirs. */
  readonly one: (folder: string, path: string) => Promise<OfferedBytes | undefined>;
}

interface OfferedBytes {
  readonly path: string;
  readonly bytes: Buffer | null;
}

/** `place`: the file in the home that holds the approvals. */
export function createProjectInstructions(place: string, offered: OfferedFiles): ProjectInstructions {
  // Read every time, because another process of this home may have changed it.
  const load = async (): Promise<Kept> => {
    const file = await readJsonFile(place, (value) => keptSchema.parse(value));
    // A file that cannot be read approves nothing.
    return file.type === 'value' ? byProjectKey(file.value, (real, other) => ({ ...other, ...real })) : {};
  };
  const save = (kept: Kept): Promise<void> => writeJsonFile(place, kept);
  const check: ProjectInstructions['check'] = async (folder, path, bytes) => {
    return lookAt(path, bytes, own(await load(), folder)[path]?.text ?? null);
  };
  const keep: ProjectInstructions['keep'] = async (folder, path, text) => {
    const kept = await load();
    await save({ ...kept, [folder]: { ...own(kept, folder), [path]: { sha256: sha256Of(text), text } } });
  };
  const filesAt = async (folder: string, paths: readonly string[]): Promise<readonly InstructionFile[]> => {
    const kept = own(await load(), folder);
    const found: InstructionFile[] = [];
    for (const path of paths) found.push(fileOf(path, await readIn(folder, path), kept[path]?.text ?? null));
    return found;
  };
  const offeredIn = async (folder: string): Promise<readonly InstructionFile[]> => {
    if (hasNoFolder(folder)) return [];
    const kept = own(await load(), folder);
    return (await offered.all(folder)).map(({ path, bytes }) => fileOf(path, bytes, kept[path]?.text ?? null));
  };
  return {
    check,
    keep,
    list: async (folder) => [
      ...(await filesAt(folder, [...(await instructionsIn(folder)), ...(await definitionsIn(folder))])),
      ...(await offeredIn(folder)),
    ],
    offered: offeredIn,
    definitions: async (folder) => filesAt(folder, await definitionsIn(folder)),
    approve: async (folder, path, sha256) => {
      needFolder(folder, path);
      const other = await offered.one(folder, path);
      const bytes = other === undefined ? await readIn(folder, path) : other.bytes;
      const now = bytes === null ? null : await check(folder, path, bytes);
      if (now?.sha256 !== sha256 || now.text === null) {
        const hint = 'Look at it again, then approve it.';
        throw new AppError('conflict', `${path} changed since it was shown. Nothing was approved.`, { hint });
      }
      await keep(folder, path, now.text);
    },
    moveTo: async (from, to) => {
      const { [from]: moved, ...kept } = await load();
      if (moved === undefined) return nothingToUndo;
      const there = own(kept, to);
      await save({ ...kept, [to]: { ...moved, ...there } });
      return async () => {
        const now = await load();
        const left = Object.entries(own(now, to)).filter(([path]) => path in there || !(path in moved));
        await save({ ...now, [from]: moved, [to]: Object.fromEntries(left) });
      };
    },
    forget: async (folder, path) => {
      const kept = await load();
      const before = own(kept, folder);
      const gone = Object.keys(before).filter((one) => path === null || one === path);
      const left = Object.fromEntries(Object.entries(before).filter(([one]) => !gone.includes(one)));
      if (gone.length > 0) await save({ ...kept, [folder]: left });
      return gone;
    },
  };
}

function own(kept: Kept, folder: string): Kept[string] {
  return Object.hasOwn(kept, folder) ? (kept[folder] ?? {}) : {};
}

/** Comparing takes time quadratic in the number of edits. A text that is completely different is shown whole. */
const mostEdits = 2_000;

function lookAt(path: string, bytes: Uint8Array, approved: string | null): InstructionCheck {
  const sha256 = sha256Of(bytes);
  const problem = problemOf(bytes);
  const text = problem === null ? Buffer.from(bytes).toString('utf8') : null;
  if (text === null) return { sha256, state: 'unfit', text, diff: null, problem };
  if (approved === null) return { sha256, state: 'new', text, diff: null, problem };
  if (sha256Of(approved) === sha256) return { sha256, state: 'approved', text, diff: null, problem };
  const hunks = diffHunks(approved, text, { context: 2, maxEditLength: mostEdits });
  const name = nameInDiff(path);
  const diff = hunks === null ? null : `--- ${name}\tapproved\n+++ ${name}\tnow\n${hunks}`;
  return { sha256, state: 'changed', text, diff, problem };
}

/** A text that cannot be shown byte by byte cannot be approved. */
function problemOf(bytes: Uint8Array): string | null {
  if (bytes.length > maxInstructionBytes) return `it is longer than ${sizeText(maxInstructionBytes)}`;
  const text = utf8Text(bytes);
  if (text === null) return 'it is not UTF-8 text';
  return text.includes('\0') ? 'it is not text' : null;
}

function fileOf(path: string, bytes: Buffer | null, approved: string | null): InstructionFile {
  if (bytes !== null) return { path, sizeBytes: bytes.length, ...lookAt(path, bytes, approved) };
  const problem = `it is not a plain file of at most ${sizeText(maxInstructionBytes)}`;
  return { path, sizeBytes: 0, sha256: null, state: 'unfit', text: null, diff: null, problem };
}

/** The most folders of a project that are searched, the nearest first. */
const mostFolders = 2_000;

async function pathsIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open: (readonly string[])[] = [[]];
  for (let looked = 0; looked < mostFolders; looked += 1) {
    const next = open.shift();
    if (next === undefined) break;
    for (const { name, isFolder } of await entriesOf(folder, next)) {
      if (!isFolder) found.push([...next, name].join('/'));
      else if (name !== '.git' && name !== 'node_modules' && next.length < deepestInstructions)
        open.push([...next, name]);
    }
  }
  return found;
}

/** Those of the project, then those of its folders. */
async function instructionsIn(folder: string): Promise<readonly string[]> {
  const paths = await pathsIn(folder);
  return [...new Set([...instructionPaths(paths), ...folderInstructions(paths)])];
}

/** The definitions of kinds of agents that the project brings. */
async function definitionsIn(folder: string): Promise<readonly string[]> {
  const entries = await entriesOf(folder, definitionFolder.split('/'));
  const files = entries.filter(({ name, isFolder }) => !isFolder && name.endsWith('.md'));
  return files
    .map(({ name }) => `${definitionFolder}/${name}`)
    .sort()
    .slice(0, mostDefinitions);
}

const mostDefinitions = 50;

async function entriesOf(
  root: string,
  names: readonly string[],
): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
  // A project without a folder brings nothing along.
  const folder = hasNoFolder(root) ? null : await openFolderBelow(root, names);
  if (folder === null) return [];
  try {
    const entries = await readdir(folder.place, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (error) {
    // A folder that cannot be listed has no readable instructions either.
    noteFailure('Instructions were not looked for in a folder', error);
    return [];
  } finally {
    await folder.close();
  }
}

/** Null: the file cannot be opened, so it has no instructions. */
const readIn = (root: string, path: string): Promise<Buffer | null> =>
  readFileBelow(root, path.split('/'), maxInstructionBytes);
