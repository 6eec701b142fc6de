import { breakHardLinks, findHardLinks, type HardLinks } from '../../workspace/hard-links.ts';
import type { BrokenLinks, FoundLinks, SandboxLinks } from '../../sandbox.ts';
import { skippedFolders } from '../../files/skipped-folders.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { orNoted } from '../../../lib/log.ts';

/** The time limit of the search. It runs beside the start of the container, which takes about as long. */
const budgetMs = 700;
const shownFiles = 20;

export interface ProjectLinks extends SandboxLinks {
  /** A warning for the user. Null: there are no such links. */
  readonly warning: () => string | null;
}

/** The state of the container: what is hidden from commands, and what is protected from them. */
interface Holding {
  readonly workspacePath: string;
  readonly held: readonly string[];
}

/** Starts the search. A project that cannot be searched counts as not searched. Never rejects. */
export async function lookForLinks(workspacePath: string, signal: AbortSignal): Promise<HardLinks> {
  const search = { workspacePath, isLeftOut: () => false, budgetMs };
  return findHardLinks(search, signal).catch(
    orNoted('sandbox: hard links were not looked for', { files: [], isCut: true }),
  );
}

/**
 * `found` is from before the container started. Mounted files are left as they are, because they must keep their
 * names.
 */
export function createProjectLinks(container: Holding, found: HardLinks): ProjectLinks {
  const { workspacePath } = container;
  const isHeld = (path: string): boolean => container.held.some((held) => path === held || path.startsWith(`${held}/`));
  const open = ({ files, isCut }: HardLinks): HardLinks => ({
    files: files.filter(({ path }) => !isHeld(path)),
    isCut,
  });
  let now = open(found);
  return {
    found: () => (now.files.length === 0 ? null : foundLinks(now)),
    break: async (signal) => {
      const all = await findHardLinks({ workspacePath, isLeftOut: isHeld, budgetMs: null }, signal);
      const outcome: BrokenLinks = await breakHardLinks(workspacePath, all.files, signal);
      const left = new Set(outcome.left.map(({ path }) => path));
      now = { files: all.files.filter(({ path }) => left.has(path)), isCut: all.isCut };
      return outcome;
    },
    warning: () => {
      if (now.files.length > 0)
        return `${headOf(now)}: a command that changes one also changes the other. --workspace copy avoids this.`;
      return now.isCut ? 'Not all of the project could be checked for hard links.' : null;
    },
  };
}

function foundLinks(links: HardLinks): FoundLinks {
  return { subject: headOf(links), text: listOf(links), count: links.files.length };
}

function headOf({ files, isCut }: HardLinks): string {
  const count = `${isCut ? 'At least ' : ''}${files.length.toLocaleString('en')}`;
  const what = files.length === 1 ? 'file of this project is also a file' : 'files of this project are also files';
  return `${count} ${what} elsewhere on the disk (hard links)`;
}

/** Files that tools made are listed by folder, one line each. Other files are listed by name. */
function listOf({ files }: HardLinks): string {
  const groups = new Map<string, { count: number; bytes: number }>();
  const single: string[] = [];
  for (const { path, sizeBytes } of files) {
    const folder = madeFolderOf(path);
    // A name with a line break must not look like two names.
    if (folder === null) single.push(path.replaceAll('\n', '\\n'));
    else {
      const group = groups.get(folder) ?? { count: 0, bytes: 0 };
      groups.set(folder, { count: group.count + 1, bytes: group.bytes + sizeBytes });
    }
  }
  const grouped = [...groups].map(
    ([folder, { count, bytes }]) =>
      `${folder}/ (${count === 1 ? '1 file' : `${count.toLocaleString('en')} files`}, ${megabytes(bytes)})`,
  );
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [...firstOf(single, 'files'), ...firstOf(grouped, 'folders'), `together ${megabytes(total)}`].join('\n');
}

function firstOf(lines: readonly string[], what: string): readonly string[] {
  const more = lines.length - shownFiles;
  return more > 0 ? [...lines.slice(0, shownFiles), `and ${more.toLocaleString('en')} more ${what}`] : lines;
}

function madeFolderOf(path: string): string | null {
  const names = path.split('/');
  const at = names.findIndex((name) => skippedFolders.some((one) => one === name));
  return at < 0 ? null : names.slice(0, at + 1).join('/');
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? 'less than 1 MB' : sizeText(bytes);
}
