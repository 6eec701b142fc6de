import { randomInt } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, valueOf, type Reply } from '@shared/errors.ts';
import type { OwnInstructions, ProjectHead, ProjectPage } from '@shared/projects/project-page.ts';
import {
  instructionTokens,
  hasNoFolder,
  keyOfRecord,
  longestInstructions,
  recordOfKey,
} from '@shared/projects/project-keys.ts';
import {
  type NewProject,
  projectIdPattern,
  projectRecordSchema,
  type ProjectRecord,
  type ProjectRecords,
  type RecordChange,
} from '@shared/projects/project-record.ts';
import { isMissing, makeFolder, readJsonFile, writeFileAtomic, writeJsonFile } from '../lib/files/json-file.ts';
import { neverAborts } from '../lib/async/abort.ts';
import { allOrNone, nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { createInTurn } from '../lib/async/in-turn.ts';
import { orNoted } from '../lib/log.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/**
 * What the user says about projects: records in the settings, and a folder for each in the home, with the instructions
 * in `instructions.md`. Changes run one after the other.
 */
export interface ProjectStore {
  readonly list: () => readonly ProjectHead[];
  readonly page: (key: string) => Promise<ProjectPage>;
  readonly create: (wanted: NewProject) => Promise<ProjectHead>;
  /** A project of the list that has no record yet gets one. */
  readonly change: (key: string, change: RecordChange, moving?: MovingUnder) => Promise<ProjectHead>;
  /** The project with this key, with a record from now on. Rejects with `not-found`. */
  readonly ensure: (key: string) => Promise<ProjectHead>;
  /** Takes the record away. The files stay for 30 days, so that it can be restored. */
  readonly remove: (key: string) => Promise<ProjectHead | null>;
  readonly restore: (id: string) => Promise<ProjectHead>;
  readonly instructions: (id: string) => Promise<OwnInstructions>;
  /** The folder of the home for everything about a project, whether it exists or not. */
  readonly folderOf: (id: string) => string;
  /** Deletes the files of projects that were removed more than 30 days ago. */
  readonly clean: () => Promise<void>;
}

/**
 * Takes along what is kept by the key of a project when it gets a folder, or another one. All of it goes along or none.
 * Its way back leaves there what the new place had of its own. Must be safe to repeat.
 */
export type MoveProject = (from: string, to: string, signal: AbortSignal) => Promise<WayBack>;

/** What else goes along, besides what the store knows of. */
export interface Moving {
  readonly moves: readonly MoveProject[];
  /** What came under the earlier key until the project had its new one. */
  readonly late: (from: string, to: string) => Promise<unknown>;
}

type MovingUnder = Moving & { readonly signal: AbortSignal };

export interface ProjectStoreOptions {
  readonly home: string;
  readonly settings: Pick<SettingsStore, 'current' | 'set' | 'unset'>;
  readonly now: () => number;
  /** The real path of a folder that can be a project. */
  readonly checkFolder: (path: string) => Promise<Reply<string>>;
  /** Rejects for a name that no assistant of the user has, or whose file cannot be used. */
  readonly checkAssistant: (name: string) => Promise<unknown>;
  /** Memory, knowledge, approvals and the like. */
  readonly moveKept: readonly MoveProject[];
  /** Whether a folder may still be there. */
  readonly mayBeThere: (path: string) => Promise<boolean>;
}

const removedSchema = z.object({ removedAt: z.number(), record: projectRecordSchema });
const keptAfterRemovalMs = 30 * 24 * 60 * 60_000;
const none: OwnInstructions = { text: '', tokens: 0, problem: null };

export function createProjectStore(options: ProjectStoreOptions): ProjectStore {
  const { home, settings } = options;
  const records = (): ProjectRecords => settings.current().projects.records;
  const folderOf = (id: string): string => {
    if (!projectIdPattern.test(id)) throw new AppError('not-found', `The project "${id}" was not found.`);
    return join(home, 'projects', id);
  };
  // A change builds on the present records.
  const inTurn = createInTurn();
  const save = async (id: string, record: ProjectRecord): Promise<ProjectHead> => {
    valueOf(await settings.set(['projects', 'records', id], record));
    // What was set for the earlier folder went along with that write, and what is set there later stays there.
    // The next change of the project does it otherwise: nothing goes back any more.
    if (record.movedFrom !== undefined)
      await settings
        .unset(['projects', 'records', id, 'movedFrom'])
        .then(valueOf)
        .catch(orNoted('The earlier folder of a project was not forgotten', undefined));
    return headOf(records(), id);
  };
  const writeInstructions = (id: string, text: string): Promise<void> => saveInstructions(folderOf(id), text);
  const ensured = async (key: string): Promise<ProjectHead> => {
    const found = recordOfKey(records(), key);
    if (found !== null) return headOf(records(), found.id);
    if (hasNoFolder(key)) throw noProject(key);
    const record = projectRecordSchema.parse({ folder: key, createdAt: options.now() });
    return save(newId(records()), record);
  };
  return {
    list: () => Object.keys(records()).map((id) => headOf(records(), id)),
    page: async (key) => {
      const found = recordOfKey(records(), key);
      if (found === null && hasNoFolder(key)) throw noProject(key);
      if (found === null) return { key, head: null, instructions: none, file: null };
      const { id } = found;
      const instructions = await readInstructions(folderOf(id));
      return { key, head: headOf(records(), id), instructions, file: fileIn(folderOf(id)) };
    },
    create: ({ name, icon = null, folder, instructions }) =>
      inTurn(async () => {
        const id = newId(records());
        const place = folder === undefined ? null : await freeFolder(options, folder);
        const record = projectRecordSchema.parse({ name, icon, folder: place, createdAt: options.now() });
        if (instructions !== undefined) await writeInstructions(id, instructions);
        return save(id, record);
      }),
    change: (key, change, moving) =>
      inTurn(async () => {
        // A refused change leaves no empty record behind.
        if (change.type === 'instructions') checkInstructions(change.text);
        if (change.type === 'assistant' && change.assistant !== null) await options.checkAssistant(change.assistant);
        const { id } = await ensured(key);
        const record = recordWithId(records(), id);
        if (change.type === 'instructions') {
          await writeInstructions(id, change.text);
          return headOf(records(), id);
        }
        if (change.type !== 'folder') return save(id, changedRecord(record, change));
        return inFolder(options, { id, record, path: change.path, moving, save });
      }),
    ensure: (key) => inTurn(() => ensured(key)),
    remove: (key) => inTurn(() => removed(options, key, folderOf)),
    restore: (id) => inTurn(() => restored(folderOf(id), { id, records: records(), save })),
    instructions: async (id) => (Object.hasOwn(records(), id) ? readInstructions(folderOf(id)) : none),
    folderOf,
    clean: () => inTurn(() => cleanRemoved(options, records)),
  };
}

interface Placing {
  readonly id: string;
  readonly record: ProjectRecord;
  readonly path: string;
  readonly moving: MovingUnder | undefined;
  readonly save: (id: string, record: ProjectRecord) => Promise<ProjectHead>;
}

/**
 * Puts a project into its first folder, or to where a folder that is gone lies now. What was kept for it goes along. If
 * something of it cannot, all of it stays.
 */
async function inFolder(
  options: ProjectStoreOptions,
  { id, record, path, moving, save }: Placing,
): Promise<ProjectHead> {
  const { folder: from } = record;
  if (from !== null && (await options.mayBeThere(from)))
    throw new AppError('conflict', `The project has the folder ${from}, which is still there. Nothing was changed.`, {
      hint: 'Make a new project for another folder, or move this one first and then say where it lies.',
    });
  const folder = await freeFolder(options, path);
  const key = keyOfRecord(id, record);
  const { moves, signal, late } = moving ?? { moves: [], signal: neverAborts, late: nothingToUndo };
  const steps = [...moves, ...options.moveKept].map((move) => () => {
    signal.throwIfAborted();
    return move(key, folder, signal);
  });
  const saved = { ...record, folder, ...(from === null ? {} : { movedFrom: from }) };
  await allOrNone([...steps, () => save(id, saved).then(() => nothingToUndo)]);
  await late(key, folder).catch(orNoted('Something of a project stays under its earlier name', undefined));
  return headOf(options.settings.current().projects.records, id);
}

async function removed(
  { settings, now }: ProjectStoreOptions,
  key: string,
  folderOf: (id: string) => string,
): Promise<ProjectHead | null> {
  const { records } = settings.current().projects;
  const found = recordOfKey(records, key);
  if (found === null && hasNoFolder(key)) throw noProject(key);
  if (found === null) return null;
  const head = headOf(records, found.id);
  const folder = folderOf(found.id);
  await makeFolder(folder);
  // First what it takes to restore it.
  await writeJsonFile(join(folder, 'removed.json'), { removedAt: now(), record: found.record });
  valueOf(await settings.unset(['projects', 'records', found.id]));
  return head;
}

async function restored(
  folder: string,
  {
    id,
    records,
    save,
  }: {
    readonly id: string;
    readonly records: ProjectRecords;
    readonly save: (id: string, record: ProjectRecord) => Promise<ProjectHead>;
  },
): Promise<ProjectHead> {
  const path = join(folder, 'removed.json');
  const file = await readJsonFile(path, (value) => removedSchema.parse(value));
  if (file.type !== 'value')
    throw new AppError('not-found', `No deleted project has the id "${id}".`, {
      hint: 'A deleted project can be restored for 30 days.',
    });
  const { record } = file.value;
  if (record.folder !== null && recordOfKey(records, record.folder) !== null) throw takenFolder(record.folder);
  const head = await save(id, record);
  await rm(path, { force: true });
  return head;
}

function headOf(records: ProjectRecords, id: string): ProjectHead {
  const record = recordWithId(records, id);
  return { ...record, id, key: keyOfRecord(id, record) };
}

function recordWithId(records: ProjectRecords, id: string): ProjectRecord {
  const record = Object.hasOwn(records, id) ? records[id] : undefined;
  if (record === undefined) throw new AppError('not-found', `The project "${id}" was not found.`);
  return record;
}

function changedRecord(
  record: ProjectRecord,
  change: Exclude<RecordChange, { readonly type: 'instructions' | 'folder' }>,
): ProjectRecord {
  switch (change.type) {
    case 'name':
      return { ...record, name: change.name };
    case 'icon':
      return { ...record, icon: change.icon };
    case 'assistant':
      return { ...record, assistant: change.assistant };
    case 'mode':
      return { ...record, mode: change.mode };
    default:
      return change satisfies never;
  }
}

/** The real path of a folder that no other record has. */
async function freeFolder({ checkFolder, settings }: ProjectStoreOptions, path: string): Promise<string> {
  const folder = valueOf(await checkFolder(path));
  if (recordOfKey(settings.current().projects.records, folder) !== null) throw takenFolder(folder);
  return folder;
}

function takenFolder(folder: string): AppError {
  return new AppError('conflict', `The folder ${folder} belongs to another project. Nothing was changed.`, {
    hint: 'Choose another folder, or use that project: dewpoint projects list',
  });
}

function noProject(key: string): AppError {
  return new AppError('not-found', `The project "${key}" was not found.`, {
    hint: 'Run `dewpoint projects list` to see your projects.',
  });
}

function newId(records: ProjectRecords): string {
  const id = randomInt(36 ** 5, 36 ** 6).toString(36) + randomInt(36 ** 5, 36 ** 6).toString(36);
  return Object.hasOwn(records, id) ? newId(records) : id;
}

const fileIn = (folder: string): string => join(folder, 'instructions.md');

function checkInstructions(text: string): void {
  const { length } = text.trim();
  if (length <= longestInstructions) return;
  throw new AppError(
    'too-large',
    `The instructions have ${length.toLocaleString('en')} characters, and a project takes ${longestInstructions.toLocaleString('en')}. Nothing was changed.`,
    { hint: 'Models read them with each message. Keep the rules here, and put long texts into files.' },
  );
}

async function saveInstructions(folder: string, text: string): Promise<void> {
  checkInstructions(text);
  const words = text.replaceAll('\r\n', '\n').trim();
  if (words === '') return rm(fileIn(folder), { force: true });
  await makeFolder(folder);
  await writeFileAtomic(fileIn(folder), `${words}\n`);
}

/** The file may be edited by hand, so it can be too long or unreadable. */
async function readInstructions(folder: string): Promise<OwnInstructions> {
  const path = fileIn(folder);
  const problem = (why: string): OwnInstructions => ({ ...none, problem: `${path} ${why}` });
  try {
    const { size } = await stat(path);
    const tooLong = `is too long: a project takes ${longestInstructions.toLocaleString('en')} characters. Models get nothing of it until it is shorter.`;
    if (size > longestInstructions * 4 + 4) return problem(tooLong);
    const text = (await readFile(path, 'utf8')).trim();
    if (text.length > longestInstructions) return problem(tooLong);
    return { text, tokens: instructionTokens(text), problem: null };
  } catch (error) {
    if (isMissing(error)) return none;
    return problem(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function cleanRemoved(
  { home, settings, now }: ProjectStoreOptions,
  records: () => ProjectRecords,
): Promise<void> {
  const folder = join(home, 'projects');
  const ids = (await readdir(folder).catch(() => [])).filter((name) => projectIdPattern.test(name));
  for (const id of ids) {
    const path = join(folder, id, 'removed.json');
    const file = await readJsonFile(path, (value) => removedSchema.parse(value));
    if (file.type !== 'value') continue;
    // Restored, and killed before the note was gone.
    if (Object.hasOwn(records(), id)) await rm(path, { force: true });
    else if (now() - file.value.removedAt > keptAfterRemovalMs) {
      const key = keyOfRecord(id, { folder: null });
      for (const name of ['projectModels', 'projectTools', 'projectFolders'] as const)
        await settings.unset([name, key]).catch(orNoted('A setting of a deleted project stays', null));
      await settings.unset(['budget', 'projects', key]).catch(orNoted('A limit of a deleted project stays', null));
      await rm(join(folder, id), { recursive: true, force: true });
    }
  }
}
