import { sha256Of } from '../../lib/sha256.ts';

/** What one package manager installs for a project: a part has a volume of its own, so that one can be made again alone. */
export interface DependencyPart {
  readonly ecosystem: Ecosystem;
  /** Of the project, relative: where the package manager runs. Empty: the top. */
  readonly folder: string;
  /** Where its volume lies while it is installed; `placeInSession` says where a session finds it. */
  readonly place: string;
  /** The package manager, for people. */
  readonly tool: string;
  /** Files of the project that say what is installed, relative; the volume is made again when one of them changes. */
  readonly files: readonly string[];
  /** What is run, in order, in a copy of the project; the first that fails ends it. This is what a person approves. */
  readonly commands: readonly string[];
  /** Whether the project can hardly do without; else nobody is asked about it unless he asks. */
  readonly isNeeded: boolean;
  /** Addresses of the project's own files from which packages come: hosts in lower case. */
  readonly hosts: readonly string[];
}

/** What is found in one folder, wherever that lies. */
export type FolderPart = Omit<DependencyPart, 'folder' | 'place'>;

export type Ecosystem = 'python' | 'javascript';

/**
 * Where a session finds the first part of each kind. A virtual environment holds its own path and so has one place for
 * ever. Packages of JavaScript lie at the root: Node looks for `node_modules` in every folder above a file, and the root
 * is above the project as well as above every copy of it.
 */
export const mainPlaces: Readonly<Record<Ecosystem, string>> = { python: '/deps/python', javascript: '/node_modules' };

/** A part of a folder. Only the first of its kind has the place that everything finds by itself. */
export function partAt(part: FolderPart, folder: string, isMain: boolean): DependencyPart {
  const main = mainPlaces[part.ecosystem];
  const place = isMain ? main : `/deps/${part.ecosystem}-${slugOf(folder)}`;
  if (folder === '') return { ...part, folder, place };
  const up = '../'.repeat(folder.split('/').length);
  const asPath = new RegExp(`(?<![\\w./])${main}(?=/|\\s|$)`, 'g');
  return {
    ...part,
    folder,
    place,
    files: part.files.map((name) => `${folder}/${name}`),
    commands: part.commands.map((command) =>
      command.replaceAll(asPath, place).replaceAll('../tools', `${up}../tools`).replaceAll('../cache', `${up}../cache`),
    ),
  };
}

function slugOf(folder: string): string {
  const slug = folder.replaceAll(/[^A-Za-z0-9]+/g, '-');
  return slug === folder ? slug : `${slug}-${sha256Of(folder).slice(0, 6)}`;
}

/** Node finds the packages of a folder beside the folder's own files, Python's wherever the environment lies. */
export function placeInSession({
  ecosystem,
  place,
  folder,
}: Pick<DependencyPart, 'ecosystem' | 'place' | 'folder'>): string {
  return ecosystem === 'python' || place === mainPlaces.javascript ? place : `/workspace/${folder}/node_modules`;
}

/** Raised when what is done around the commands changes, so that older volumes are made again. */
export const preparationVersion = 2;

/** The files of a project that say what is installed, as far as they were read: relative path and text. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** What the settings say of one project. */
export interface OwnSetup {
  readonly python?: string | undefined;
  readonly javascript?: string | undefined;
}
