import { languageOf } from '../code/code-syntax.ts';

/** The project's own files that a file imports, read from its import lines. `files`: all files of the project. */
export function importsOf(path: string, text: string, files: ReadonlySet<string>): readonly string[] {
  const found = languageOf(path) === 'python' ? pythonImports(path, text) : scriptImports(path, text);
  const resolved = found.map((candidates) => candidates.find((candidate) => files.has(candidate)));
  return [...new Set(resolved.filter((one) => one !== undefined && one !== path))].filter((one) => one !== undefined);
}

function pythonImports(path: string, text: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  const folder = path.split('/').slice(0, -1);
  for (const match of text.matchAll(
    /^[ \t]*(?:from[ \t]+(?=[\w.])(\.*)((?:\w[\w.]*)?)[ \t]+import[ \t]+(\([^()]*\)|[^\n]*)|import[ \t]+([\w. ,]+))/gm,
  )) {
    if (match[4] !== undefined) {
      for (const name of match[4].split(',')) found.push(moduleFiles(name.trim().split(' ')[0] ?? '', folder));
      continue;
    }
    const dots = match[1]?.length ?? 0;
    const base = dots > 0 ? folder.slice(0, folder.length - dots + 1).join('/') : null;
    const module = match[2] ?? '';
    const names = (match[3] ?? '')
      .replaceAll(/[()\n#]/g, ' ')
      .split(',')
      .map((name) => name.trim().split(/\s+/)[0] ?? '');
    const under = (name: string) =>
      base === null
        ? moduleFiles(name, folder)
        : filesAt([base, name.replaceAll('.', '/')].filter((part) => part !== '').join('/'));
    if (module !== '' || base !== null) found.push(under(module));
    for (const name of names) found.push(under(module === '' ? name : `${module}.${name}`));
  }
  return found;
}

/** A module may be at the root, under `src`, or beside the file that imports it. */
function moduleFiles(module: string, folder: readonly string[]): string[] {
  const path = module.replaceAll('.', '/');
  const beside = folder.length === 0 ? [] : filesAt(`${folder.join('/')}/${path}`);
  return [...filesAt(path), ...filesAt(`src/${path}`), ...beside, ...filesAt(`lib/${path}`)];
}

function filesAt(path: string): string[] {
  return [`${path}.py`, `${path}/__init__.py`];
}

const scriptEnds = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx'];

function scriptImports(path: string, text: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  const folder = path.split('/').slice(0, -1);
  for (const match of text.matchAll(/(?:from|import|require\(|import\()\s*['"](\.[^'"]*)['"]/g)) {
    const parts = [...folder];
    for (const part of (match[1] ?? '').split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.' && part !== '') parts.push(part);
    }
    const plain = parts.join('/');
    // TypeScript names the file that it writes, not the one that it reads.
    const swapped = plain.replace(/\.([mc]?)jsx?$/, '.$1ts');
    found.push([
      plain,
      swapped,
      `${swapped}x`,
      ...[...scriptEnds, ...scriptEnds.map((end) => `/index${end}`)].map((end) => plain + end),
    ]);
  }
  return found;
}

/**
 * Files reached from `start` by imports, nearest first, at most `limit`. The value is the number of imports between
 * them.
 */
export async function importClosure(
  start: readonly string[],
  files: ReadonlySet<string>,
  read: (path: string) => Promise<string | null>,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const distance = new Map<string, number>(start.map((path) => [path, 0]));
  const queue = [...start];
  for (let path = queue.shift(); path !== undefined && distance.size < limit; path = queue.shift()) {
    const text = await read(path);
    if (text === null) continue;
    for (const next of importsOf(path, text, files)) {
      if (distance.has(next) || distance.size >= limit) continue;
      distance.set(next, (distance.get(path) ?? 0) + 1);
      queue.push(next);
    }
  }
  return distance;
}
