import { z } from 'zod';

/**
 * The approval of a project's instruction file. `approved`: the user approved exactly these bytes. `new`: nobody has
 * approved any. `changed`: other bytes were approved. `unfit`: it cannot be shown as it is, so nobody can approve it.
 */
export const instructionStateSchema = z.enum(['approved', 'new', 'changed', 'unfit']);
export type InstructionState = z.infer<typeof instructionStateSchema>;

/** Whether a run uses a project's instructions: only approved ones, any, or none. */
export const runInstructionsSchema = z.enum(['ask', 'use', 'off']);

/** What happened to a project's instructions in a turn. Part of the events (`events.ts`). */
export const instructionEvents = {
  'instructions-found': z.object({
    path: z.string(),
    /** Hash of the bytes that were read; null when they could not be read. */
    sha256: z.string().nullable(),
    state: instructionStateSchema,
    use: z.enum(['used', 'held']),
    /** The reason, in one sentence. */
    reason: z.string(),
  }),
} as const;

/** An instruction file of a project, as it is now. */
export interface InstructionFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Null when `state` is `unfit`. */
  readonly sha256: string | null;
  readonly state: InstructionState;
  /** The file's current text; null when it cannot be shown. */
  readonly text: string | null;
  /** Difference between the approved bytes and the current ones; null when they are equal, or none were approved. */
  readonly diff: string | null;
  /** Why it is `unfit`; null when it is not. */
  readonly problem: string | null;
}

/** A longer file is held back, because nobody would read it before approving it. */
export const maxInstructionBytes = 128 * 1024;

/** Best known first. If a project has several, they say much the same. */
const names: readonly string[] = ['agents.md', 'claude.md', 'gemini.md', 'copilot-instructions.md'];

/**
 * The folder of a project's kinds of agents. Like instructions, each file is used only after its bytes were approved.
 */
export const definitionFolder = '.dewpoint/agents';

/**
 * The paths of a project's instruction files: nearest first, then best known. Below the top only those in a folder of
 * tools, such as `.github`, are the project's; those of any other folder are for work in it (`folderInstructions`).
 */
export function instructionPaths(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => names.includes(lowerFileName(path)) && /^(?:\.[^/]+\/)?[^/]+$/u.test(path))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

/** How many folders deep instructions of a folder may lie, and how many are known. */
export const deepestInstructions = 8;
const mostFolderInstructions = 200;

/**
 * The instructions that apply to work in a folder below the project's own, outermost first: one a folder, the best
 * known. Folders of tools, whose names begin with a dot, have none.
 */
export function folderInstructions(paths: readonly string[]): readonly string[] {
  const best = new Map<string, string>();
  for (const path of paths) {
    const folders = path.split('/').slice(0, -1);
    if (!names.includes(lowerFileName(path)) || folders.length === 0 || folders.length > deepestInstructions) continue;
    if (folders.some((folder) => folder.startsWith('.') || folder === 'node_modules')) continue;
    const folder = folders.join('/');
    const known = best.get(folder);
    if (known === undefined || rank(path) < rank(known)) best.set(folder, path);
  }
  return [...best.values()]
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1))
    .slice(0, mostFolderInstructions);
}

/** Those of `known` whose folder holds one of the files, outermost first. */
export function instructionsFor(known: readonly string[], files: readonly string[]): readonly string[] {
  return known.filter((path) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    return files.some((file) => file.replace(/^(?:\.\/)+/u, '').startsWith(folder));
  });
}

function rank(path: string): number {
  return path.split('/').length * 10 + names.indexOf(lowerFileName(path));
}

function lowerFileName(path: string): string {
  return (path.split('/').pop() ?? '').toLowerCase();
}

/** Where skills lie in a project, as other agents keep them, too; and in a person's own folder. Of two with the same name, the first. */
export const skillFolders: readonly string[] = [
  '.dewpoint/skills',
  '.agents/skills',
  '.claude/skills',
  '.github/skills',
];

/** How many folders below one of `skillFolders` are looked through. */
export const deepestSkill = 5;
export const mostSkills = 100;
export const mostSkillFiles = 300;

/** The files of a skill. */
export interface SkillPlace {
  /** The path of its folder. */
  readonly folder: string;
  readonly name: string;
  /** Sorted paths, among them that of `SKILL.md`. */
  readonly paths: readonly string[];
}

/** The paths that belong to skills or prompt files of a project. */
export function isOffered(path: string): boolean {
  return skillFolders.some((folder) => path.startsWith(`${folder}/`)) || promptFileName(path) !== null;
}

/** The skills among these paths: each folder with a `SKILL.md`, and all that lies in it. */
export function skillsIn(paths: readonly string[]): readonly SkillPlace[] {
  const sorted = [...paths].sort();
  const folders = sorted.flatMap((path) => {
    const root = skillFolders.find((one) => path.startsWith(`${one}/`));
    if (root === undefined || !path.endsWith('/SKILL.md')) return [];
    const inner = path.slice(root.length + 1).split('/');
    return inner.length < 2 || inner.length > deepestSkill + 1 ? [] : [path.slice(0, -'/SKILL.md'.length)];
  });
  // A skill inside a skill is part of it.
  const outer = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  const rank = (folder: string): number => skillFolders.findIndex((one) => folder.startsWith(`${one}/`));
  return outer
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1))
    .slice(0, mostSkills)
    .map((folder) => ({
      folder,
      name: folder.split('/').pop() ?? '',
      paths: sorted.filter((path) => path.startsWith(`${folder}/`)),
    }));
}

const promptFile =
  /^(?:\.github\/prompts\/([^/]+)\.prompt|\.claude\/commands\/(?:[^/]+\/)?([^/]+)|\.dewpoint\/commands\/([^/]+))\.md$/u;

/** The name to type after `/` for a prompt file of a project; null: it is none. */
export function promptFileName(path: string): string | null {
  const [, ...names] = promptFile.exec(path) ?? [];
  const name =
    names
      .find((one) => one !== undefined)
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9-]+/gu, '-') ?? '';
  return /^[a-z][a-z0-9-]{0,39}$/u.test(name) ? name : null;
}
