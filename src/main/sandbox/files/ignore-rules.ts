import ignore, { type Ignore } from 'ignore';
import type { ListEntry } from '../sandbox.ts';

/** The texts of ignore files, by the folder that contains them (`.` is the workspace). */
export type IgnoreFiles = ReadonlyMap<string, string>;

/**
 * Leaves out what ignore files name, by git's rules: a file applies to its own folder and below, and everything in
 * an ignored folder is ignored, whatever later rules say.
 */
export function withoutIgnored(entries: readonly ListEntry[], files: IgnoreFiles): ListEntry[] {
  if (files.size === 0) return [...entries];
  const rules = new Map<string, Ignore>();
  for (const [folder, text] of files) rules.set(folder, ignore({ allowRelativePaths: true }).add(text));
  const folders = new Map<string, boolean>();
  const isIgnoredFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const answer = isIgnoredFolder(parentOf(folder)) || matches(folder, true, rules);
    folders.set(folder, answer);
    return answer;
  };
  folders.set('.', false);
  return entries.filter((entry) =>
    entry.kind === 'folder'
      ? !isIgnoredFolder(entry.path)
      : !isIgnoredFolder(parentOf(entry.path)) && !matches(entry.path, false, rules),
  );
}

function parentOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? '.' : path.slice(0, cut);
}

// The nearest ignore file that mentions the path decides.
function matches(path: string, isFolder: boolean, rules: ReadonlyMap<string, Ignore>): boolean {
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    const rule = rules.get(folder);
    if (rule !== undefined) {
      const inside = folder === '.' ? path : path.slice(folder.length + 1);
      const verdict = rule.test(isFolder ? `${inside}/` : inside);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    if (folder === '.') return false;
  }
}
