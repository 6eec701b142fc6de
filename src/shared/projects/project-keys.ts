import { AppError } from '@shared/errors.ts';

/** Colors that a letter can stand on. Both looks of the window have them. */
export const iconColors = ['gray', 'red', 'orange', 'green', 'blue', 'purple'] as const;
export type IconColor = (typeof iconColors)[number];

export const longestProjectName = 100;

/** Longer instructions would leave no room for the work. In characters. */
export const longestInstructions = 16_000;

/** About how many tokens they cost with each message. Scripts with long characters cost more. */
export function instructionTokens(text: string): number {
  let bytes = 0;
  for (const sign of text.trim()) bytes += bytesOf(sign.codePointAt(0) ?? 0);
  return Math.ceil(bytes / 3.3);
}

/** What the user says in a project begins with this line in a prompt, and ends it with the words of an assistant. */
export const projectWordsStart = 'The user says for everything in this project:\n';

/** In UTF-8. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const keyStart = 'project:';

interface FolderOfProject {
  /** Null: the project needs none. */
  readonly folder: string | null;
}

/** What everything about a project is kept by: its folder, or `project:ID` as long as it has none. */
export function keyOfRecord(id: string, { folder }: FolderOfProject): string {
  return folder ?? `${keyStart}${id}`;
}

/** Whether a key is that of a project without a folder. */
export function hasNoFolder(key: string): boolean {
  return key.startsWith(keyStart);
}

/** Where a session belongs. `project`: the id of the project that it is in; null: it was moved out of all. */
export interface SessionProject {
  readonly projectPath: string | null;
  readonly project?: string | null | undefined;
}

/** The key of the project that a session belongs to; null: to none. A deleted project is none. */
export function projectOfSession(
  records: Readonly<Record<string, FolderOfProject>>,
  { projectPath, project }: SessionProject,
): string | null {
  if (project === undefined || project === null || projectPath !== null) return projectPath;
  const record = Object.hasOwn(records, project) ? records[project] : undefined;
  return record === undefined ? null : keyOfRecord(project, record);
}

/** The record with this key; null: nothing was said about the project yet. */
export function recordOfKey<Found extends FolderOfProject>(
  records: Readonly<Record<string, Found>>,
  key: string,
): { readonly id: string; readonly record: Found } | null {
  const found = Object.entries(records).find(([id, record]) => keyOfRecord(id, record) === key);
  return found === undefined ? null : { id: found[0], record: found[1] };
}

/** What to do where a project has no folder and something works on files. */
export const giveFolderHint = 'Give it a folder on its page, or: dewpoint projects set PROJECT --folder DIR';

/** Throws `bad-input` for a project without a folder. `what`: what lies in a folder, such as "its rules". */
export function needFolder(key: string | null, what: string): void {
  if (key === null || !hasNoFolder(key)) return;
  throw new AppError(
    'bad-input',
    `This project has no folder, and ${what} would be a file there. Nothing was written.`,
    {
      hint: giveFolderHint,
    },
  );
}
