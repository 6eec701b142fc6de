import { failure, success, type Reply } from '@shared/errors.ts';
import { globMatcher } from '@shared/safety/fences.ts';
import type { HiddenFiles } from '../workspace/find-hidden-files.ts';
import { readFilesSingly } from '../files/read-files-singly.ts';
import type { Sandbox, SearchResult } from '../sandbox.ts';

/**
 * Wraps a read-only sandbox and hides what a container would hide. Hidden files are absent from lists, and refused
 * by name. `globs` are the user's masks, which also apply to later files. `look` is what was found at the start.
 */
export function withMasks(
  sandbox: Sandbox,
  globs: readonly string[],
  { masks, warnings }: Pick<HiddenFiles, 'masks' | 'warnings'>,
): Sandbox {
  if (globs.length === 0 && masks.length === 0) return sandbox;
  const fits = globs.map(globMatcher);
  const isMasked = (given: string): boolean => {
    const path = given.replace(/^(?:\.\/)+/, '');
    return (
      fits.some((fit) => fit(path)) || masks.some((mask) => path === mask.path || path.startsWith(`${mask.path}/`))
    );
  };
  const inside = (path: string): string =>
    path.startsWith(`${sandbox.workspacePath}/`) ? path.slice(sandbox.workspacePath.length + 1) : path;
  const unlessMasked = <T>(path: string, work: () => Promise<Reply<T>>): Promise<Reply<T>> => {
    if (!isMasked(normal(inside(path)))) return work();
    return Promise.resolve(
      failure('refused', `${path} is hidden from models: it holds secrets, or a rule masks it.`, 'Go on without it.'),
    );
  };
  const readFile: Sandbox['readFile'] = (path, options, signal) =>
    unlessMasked(path, () => sandbox.readFile(path, options, signal));
  return {
    ...sandbox,
    description: {
      ...sandbox.description,
      warnings: [...sandbox.description.warnings, ...warnings],
    },
    readFile,
    readFiles: (paths, options, signal) => readFilesSingly(readFile, paths, { options, signal }),
    stat: (path, signal) => unlessMasked(path, () => sandbox.stat(path, signal)),
    list: (path, options, signal) =>
      unlessMasked(path, async () => {
        const listing = await sandbox.list(path, options, signal);
        if (!listing.ok) return listing;
        return success({ ...listing.value, entries: listing.value.entries.filter((entry) => !isMasked(entry.path)) });
      }),
    search: async (query, signal) => {
      const search = async (): Promise<Reply<SearchResult>> => {
        const found = await sandbox.search(query, signal);
        if (!found.ok) return found;
        const matches = found.value.matches.filter((match) => !isMasked(match.path));
        return success({ ...found.value, matches });
      };
      return query.path === undefined ? search() : unlessMasked(query.path, search);
    },
    scan: async (signal) => {
      const scanned = await sandbox.scan(signal);
      if (!scanned.ok) return scanned;
      const { files, unseen } = scanned.value;
      return success({ files: new Map([...files].filter(([path]) => !isMasked(path))), unseen });
    },
  };
}

function normal(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
