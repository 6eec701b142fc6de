import type { PackageEcosystem } from '@shared/projects/project-preparation.ts';
import { sha256Of } from '../../lib/sha256.ts';

/**
 * What one package manager installs for a project. Each part has its own volume, so that it can be installed again
 * alone.
 */
export interface DependencyPart {
  readonly ecosystem: Ecosystem;
  /** The folder where the package manager runs, relative to the project. Empty: the top. */
  readonly folder: string;
  /** Where its volume is mounted for the installation. `placeInSession` says where a session finds it. */
  readonly place: string;
  /** The package manager, for users. */
  readonly tool: string;
  /**
   * The project's files that determine what is installed, relative. If one of them changes, the volume is made
   * again.
   */
  readonly files: readonly string[];
  /**
   * The commands that run in order in a copy of the project. The first failure ends them. The user approves exactly
   * these.
   */
  readonly commands: readonly string[];
  /** Whether the project hardly works without it. If not, the user is not asked about it. */
  readonly isNeeded: boolean;
  /** The hosts in addresses in the project's own files from which packages come, in lower case. */
  readonly hosts: readonly string[];
}

/** What is found in a folder, independent of the folder's path. */
export type FolderPart = Omit<DependencyPart, 'folder' | 'place'>;

export type Ecosystem = PackageEcosystem;

/**
 * Where a session finds the first part of each kind. A virtual environment contains its own path, so it always has
 * the same place. Packages of JavaScript are at the root: Node searches `node_modules` in every folder above a file,
 * and the root is above the project and every copy of it.
 */
export const mainPlaces: Readonly<Record<Ecosystem, string>> = {
  python: '/deps/python',
  javascript: '/node_modules',
  go: '/deps/go',
  rust: '/deps/rust',
  java: '/deps/java',
  ruby: '/deps/ruby',
  php: '/deps/php',
};

/** The part of a folder. Only the first of its kind gets the place that everything finds by itself. */
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

/** Where Node, and PHP always, find packages: in this folder beside a folder's own files. Null: everywhere. */
export function mountNameOf({ ecosystem, place }: Pick<DependencyPart, 'ecosystem' | 'place'>): MountName | null {
  if (ecosystem === 'php') return 'vendor';
  return ecosystem === 'javascript' && place !== mainPlaces.javascript ? 'node_modules' : null;
}

export type MountName = 'node_modules' | 'vendor';

export function placeInSession(part: Pick<DependencyPart, 'ecosystem' | 'place' | 'folder'>): string {
  const name = mountNameOf(part);
  return name === null ? part.place : ['/workspace', ...(part.folder === '' ? [] : [part.folder]), name].join('/');
}

/** Increase this when the steps around the commands change, so that older volumes are made again. */
export const preparationVersion = 2;

/** The project's files that determine what is installed, as far as they were read: text by relative path. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** The settings of one project. */
export interface OwnSetup {
  readonly python?: string | undefined;
  readonly javascript?: string | undefined;
  /** Language servers are installed, too. */
  readonly languageServers?: boolean | undefined;
}
