import { isAbsolute, resolve } from 'node:path';
import type { AppError } from '@shared/errors.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { listedFolder, listProjects, type ListedProject } from '@shared/projects/project-list.ts';
import { projectChoicesSchema, type ProjectChoices } from '@shared/projects/project-record.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { projectKey } from '../../../../lib/files/project-key.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import { usageError } from '../../../text/report-failure.ts';
import { requireFolder, whatIsAt } from '../../checks/require-folder.ts';
import { asWord } from '../../program/run-flags.ts';

/** All projects, and what the user said about them. */
export async function projectsOf(
  core: CoreClient,
): Promise<{ readonly listed: readonly ListedProject[]; readonly choices: ProjectChoices }> {
  const choices = projectChoicesSchema.parse(await core.settings.get({ key: 'projects' }));
  return { listed: listProjects(await core.sessions.list(), choices), choices };
}

/** A longer list of names does not help. */
const shownNames = 20;

/**
 * The project that a word means: a folder, an id, or a name. Throws a usage error if there is none, or if several can be
 * meant.
 */
export async function projectNamed(core: CoreClient, word: string): Promise<ListedProject> {
  const { listed, choices } = await projectsOf(core);
  const byId = listed.find(({ id, path }) => id === word || path === word);
  if (byId !== undefined) return byId;
  const path = await projectKey(resolve(word));
  const isFolder = (await whatIsAt(path)) === 'folder';
  const here = listed.find((one) => one.path === path) ?? (isFolder ? listedFolder(path) : undefined);
  const alike = isPath(word) ? [] : listed.filter((one) => one.path !== path && folded(one.name) === folded(word));
  // A folder here goes before one elsewhere that has its name, but not before a project that the user called so.
  const isCalled = ({ id }: ListedProject): boolean => id !== null && typeof choices.records[id]?.name === 'string';
  const meant = here === undefined ? alike : [here, ...alike.filter(isCalled)];
  const [only, other] = meant;
  if (only === undefined) throw notFound(word, listed);
  if (other === undefined) return only;
  throw usageError(
    `${meant.length} projects can be meant by ${seenName(word)}.`,
    `Name one of them: ${meant.map((one) => seenName(asWord(wordFor(one)))).join(', ')}. See: dewpoint projects list`,
  );
}

/**
 * The key of the project that `--project` means. A path stays a path, so that whoever needs the folder says what is
 * wrong with it.
 */
export async function keyOfWord(core: () => Promise<CoreClient>, word: string): Promise<string> {
  return isPath(word) ? resolve(word) : (await projectNamed(await core(), word)).path;
}

/** The same for work on a project that is there. Throws a usage error if its folder is gone. */
export async function projectOfWord(core: () => Promise<CoreClient>, word: string): Promise<string> {
  const key = await keyOfWord(core, word);
  if (!hasNoFolder(key)) await requireFolder(key);
  return key;
}

/** The same for work that needs files. Throws a usage error for a project without a folder. */
export async function folderOfWord(core: () => Promise<CoreClient>, word: string): Promise<string> {
  const key = await keyOfWord(core, word);
  if (!hasNoFolder(key)) return key;
  throw usageError(
    `The project ${seenName(word)} has no folder, and this works on files.`,
    `Give it one: dewpoint projects set ${seenName(asWord(word))} --folder DIR`,
  );
}

/** A word that no project can be called by. */
function isPath(word: string): boolean {
  return isAbsolute(word) || /[/\\]|^\.+$/u.test(word);
}

function notFound(word: string, listed: readonly ListedProject[]): AppError {
  const names = listed.slice(0, shownNames).map((one) => seenName(asWord(one.name)));
  const more = listed.length > shownNames ? ', … See: dewpoint projects list' : '';
  return usageError(
    `The project ${seenName(word)} was not found: no folder here and no project of yours has that name.`,
    names.length === 0
      ? 'You have none yet. Make one: dewpoint projects new NAME'
      : `Yours: ${names.join(', ')}${more}`,
  );
}

/** What names exactly this project in the terminal. */
export function wordFor({ id, path, folder }: Pick<ListedProject, 'id' | 'path' | 'folder'>): string {
  return folder ?? id ?? path;
}

function folded(name: string): string {
  return name.normalize('NFC').toLocaleLowerCase('en').trim();
}
