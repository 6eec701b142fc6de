import type { Settings } from '@shared/settings/settings.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { findParts } from './find-parts.ts';
import { readProject } from './package-files.ts';

/** The language servers that were installed for a project. */
export interface PreparedServers {
  readonly projectPath: string;
  /** With their versions. Null: the project cannot be read. */
  readonly servers: readonly string[] | null;
}

const mostProjects = 20;
const folder = '.language-servers ';

/** The projects for which language servers were installed. Reads a few files of each, and starts nothing. */
export async function preparedServers(
  projects: Settings['sandbox']['projects'],
  signal: AbortSignal,
): Promise<readonly PreparedServers[]> {
  const wanted = Object.entries(projects).filter(([, { setup }]) => setup.languageServers === true);
  return Promise.all(
    wanted.slice(0, mostProjects).map(async ([projectPath, { setup }]) => {
      const found = await readProject(projectPath, signal).catch(() => null);
      signal.throwIfAborted();
      if (found === null) return { projectPath, servers: null };
      const commands = findParts(found.top, setup, found.below).flatMap((part) => part.commands);
      return { projectPath, servers: commands.flatMap(serversIn) };
    }),
  );
}

/** What each takes on the disk, measured on amd64. */
const sizes: Readonly<Record<string, number>> = { ty: 40e6, clangd: 78e6, typescript: 31e6, gopls: 35e6 };

/** Names the servers that the commands of these parts install, with their sizes. Empty: none. */
export function serverNotes(parts: readonly { readonly commands: readonly string[] }[]): readonly string[] {
  const names = parts
    .flatMap(({ commands }) => commands.flatMap(serversIn))
    .map((server) => {
      const size = sizes[server.slice(0, server.indexOf(' '))];
      return size === undefined ? server : `${server} (about ${sizeText(size)})`;
    });
  return names.length === 0 ? [] : [`Language servers are installed, too: ${names.join(', ')}.`];
}

function serversIn(command: string): readonly string[] {
  const at = command.indexOf(folder);
  if (at === -1) return [];
  return command
    .slice(at + folder.length)
    .split(' ')
    .flatMap((word) => {
      const last = word.slice(word.lastIndexOf('/') + 1);
      const [, name, version] = /^([\w.-]+)(?:==|@v?)(\S+)$/u.exec(last) ?? [];
      return name === undefined || version === undefined ? [] : [`${name} ${version}`];
    });
}
