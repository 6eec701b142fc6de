import ignore, { type Ignore } from 'ignore';
import type { ListEntry } from '../sandbox.ts';

/** The texts of ignore files, by the folder that contains them (`.` is the workspace). */
export type IgnoreFiles = ReadonlyMap<string, string>;

/**
 * Leaves out what ignore files name, by git's rules: a file applies to its own folder and below, and everything in
 * an ignored folder is ignored, whatever later rules say. A line with more than four `**` ignores nothing, and no line
 * ignores what is more than 64 folders below its file: an ignore file is a stranger's, and to compare would take hours.
 */
export function withoutIgnored(entries: readonly ListEntry[], files: IgnoreFiles): ListEntry[] {
  if (files.size === 0) return [...entries];
  const rules = createIgnoreRules();
  for (const [folder, text] of files) rules.add(folder, text);
  return entries.filter((entry) =>
    entry.kind === 'folder' ? !rules.ignoresFolder(entry.path) : !rules.ignoresFile(entry.path),
  );
}

export interface IgnoreRules {
  readonly add: (folder: string, text: string) => void;
  /** Ask once the ignore files of the folders above were added: the answer is kept. */
  readonly ignoresFolder: (folder: string) => boolean;
  readonly ignoresFile: (path: string) => boolean;
}

const mostDoubleStars = 4;
const mostLevels = 64;

export function createIgnoreRules(): IgnoreRules {
  const rules = new Map<string, Ignore>();
  const folders = new Map<string, boolean>([['.', false]]);
  const ignoresFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const answer = ignoresFolder(parentOf(folder)) || matches(folder, true, rules);
    folders.set(folder, answer);
    return answer;
  };
  return {
    add: (folder, text) => {
      const lines = text.split(/\r?\n/u).filter((line) => line.split('**').length <= mostDoubleStars + 1);
      rules.set(folder, ignore({ allowRelativePaths: true }).add(lines));
    },
    ignoresFolder,
    ignoresFile: (path) => ignoresFolder(parentOf(path)) || matches(path, false, rules),
  };
}

function parentOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? '.' : path.slice(0, cut);
}

// The nearest ignore file that mentions the path decides.
function matches(path: string, isFolder: boolean, rules: ReadonlyMap<string, Ignore>): boolean {
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    const rule = rules.get(folder);
    const inside = folder === '.' ? path : path.slice(folder.length + 1);
    if (rule !== undefined && inside.split('/').length <= mostLevels) {
      const verdict = rule.test(isFolder ? `${inside}/` : inside);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    if (folder === '.') return false;
  }
}
