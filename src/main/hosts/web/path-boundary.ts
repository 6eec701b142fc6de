import { join } from 'node:path';
import { ORPCError } from '@orpc/server';
import { AppError } from '@shared/errors.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { projectIdPattern } from '@shared/projects/project-record.ts';
import type { ForwardedCall } from '../../server/forward-router.ts';
import { isStream, streamFailingWith, toContractError } from '../../server/contract-error.ts';
import { openFolderBelow } from '../../lib/files/host-folder.ts';
import { hidePathsInStream } from './hide-paths-in-stream.ts';
import type { AliasedFolder, PathAliases } from './path-aliases.ts';

/** Commands whose input comes from the page's earlier output. In all others, text is the user's and unchanged. */
const returnedInputs = /^(?:settings|rules|models|projects|keys|plan)\b/u;
/** The properties that name a folder of this machine, in every input of the contract. */
const folderKeys: readonly string[] = ['projectPath', 'project'];

export interface PathBoundaryOptions {
  readonly names: PathAliases;
  /** The folders that projects may be in. */
  readonly roots: readonly AliasedFolder[];
}

/**
 * Everything between the core and a page passes through here. No path of this machine gets out. The page names a folder
 * by a root and the path below it, along which no link is followed.
 */
export function createPathBoundary({ names, roots }: PathBoundaryOptions) {
  return async (call: ForwardedCall, next: (input: unknown) => Promise<unknown>): Promise<unknown> => {
    const hide = <T>(value: T): T => names.hide(value, textKindOf(call.name));
    try {
      const input = call.name.startsWith('settings.')
        ? call.input
        : await withFolders(call.input, (name) => folderOf(name, roots, names));
      const result = await next(returnedInputs.test(call.name) ? names.reveal(input) : input);
      return isStream(result)
        ? streamFailingWith(hidePathsInStream(result, names, hide), (error) => hiddenError(error, names))
        : hide(result);
    } catch (error) {
      throw hiddenError(error, names);
    }
  };
}

function textKindOf(command: string): Parameters<PathAliases['hide']>[1] {
  if (command === 'doctor' || command === 'home.log' || command.startsWith('setup.')) return 'sentence';
  return /^(?:sessions|comparisons|calibrations|sandboxes|changes|attachments)\./u.test(command) ? 'session' : 'data';
}

/** Replaces each folder name by its path. */
async function withFolders(input: unknown, folder: (name: string) => Promise<string>): Promise<unknown> {
  if (Array.isArray(input)) return Promise.all(input.map((one: unknown) => withFolders(one, folder)));
  if (typeof input !== 'object' || input === null) return input;
  const entries = Object.entries(input).map(async ([key, value]): Promise<[string, unknown]> => {
    const isFolder = folderKeys.includes(key) && typeof value === 'string' && !isKeyWithId(value);
    return [key, isFolder ? await folder(value) : await withFolders(value, folder)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A project without a folder is named by its id. Anything more could be a path. */
function isKeyWithId(name: string): boolean {
  return hasNoFolder(name) && projectIdPattern.test(name.slice(name.indexOf(':') + 1));
}

/** The same error for a folder that is missing, behind a link or elsewhere, so that it reveals nothing about others. */
async function folderOf(name: string, roots: readonly AliasedFolder[], names: PathAliases): Promise<string> {
  let isBelowRoot = false;
  for (const root of roots) {
    const [path = ''] = root.paths;
    const rootName = names.aliasOf(root);
    if (name !== rootName && !name.startsWith(`${rootName}/`)) continue;
    isBelowRoot = true;
    const way = name.slice(rootName.length + 1).split('/');
    const steps = name === rootName ? [] : way.at(-1) === '' ? way.slice(0, -1) : way;
    const folder = await openFolderBelow(path, steps);
    if (folder === null) break;
    await folder.close();
    return join(path, ...steps);
  }
  const labels = roots.map((root) => root.label);
  const elsewhere = 'For other folders: dewpoint serve --root DIR';
  // A whole path is hidden in the answer, so it would read like a name that is allowed.
  if (name.startsWith('/'))
    throw new AppError('refused', 'In the browser, a folder is named without the path of this machine before it.', {
      hint: `Use a path that begins with ${labels.join(' or ')}, such as ${likelyName(name, labels) ?? `${labels[0]}/my-project`}. ${elsewhere}`,
    });
  if (isBelowRoot)
    throw new AppError('refused', `There is no folder ${name}, or a link leads to it.`, {
      hint: `Check the name. Dewpoint makes no folder here. ${elsewhere}`,
    });
  throw new AppError('refused', `The folder ${name} is not in the folders that Dewpoint serves here.`, {
    hint: `Use a path that begins with ${labels.join(' or ')}. ${elsewhere}`,
  });
}

/** What a whole path is called here, by its words alone: whether a root lies there is not said. */
function likelyName(path: string, labels: readonly string[]): string | null {
  const parts = path.split('/').filter((part) => part !== '');
  const at = parts.findIndex((part) => labels.includes(part));
  return at < 0 ? null : parts.slice(at).join('/');
}

function hiddenError(error: unknown, names: PathAliases): unknown {
  const known = toContractError(error);
  if (!(known instanceof ORPCError)) return known;
  const { defined, status, message, data } = known;
  const hidden = names.hide({ message, data }, 'sentence');
  return new ORPCError(known.code, { defined, status, ...hidden });
}
