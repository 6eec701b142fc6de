import { isFolder, sortEntries } from './sort.js';

const BRANCH = '├── ';
const LAST = '└── ';
const LINE = '│   ';
const SPACE = '    ';

/** Returns the lines of a tree, like the Unix command of that name. */
export function printTree(entries, indent = '') {
  const sorted = sortEntries(entries);
  return sorted.flatMap((entry, index) => {
    const isLast = index === sorted.length - 1;
    const name = isFolder(entry) ? `${entry.name}/` : entry.name;
    const line = indent + (isLast ? LAST : BRANCH) + name;
    if (!isFolder(entry)) return [line];
    return [line, ...printTree(entry.children, indent + (isLast ? SPACE : LINE))];
  });
}
