import { createHash } from 'node:crypto';
import {
  mainPlaces,
  partAt,
  preparationVersion,
  type DependencyPart,
  type FolderPart,
  type OwnSetup,
  type ProjectTexts,
} from './dependency-part.ts';
import { findJavascriptPart } from './javascript-part.ts';
import { findOtherPart } from './other-parts.ts';
import type { ProjectFolder, ProjectTop } from './package-files.ts';
import { findPythonPart } from './python-part.ts';

/**
 * How to install a project's packages, from the files at its top and in the folders below. Pure. Empty if there is
 * nothing to install. A folder below counts if it has its own lock file, or if the top has nothing of its kind.
 */
export function findParts(
  top: ProjectTop,
  own: OwnSetup,
  below: readonly ProjectFolder[] = [],
): readonly DependencyPart[] {
  const python = partsOf((folder, setup) => findPythonPart(folder, setup), { top, own: own.python, below });
  const javascript = partsOf((folder, setup) => findJavascriptPart(folder, setup), { top, own: own.javascript, below });
  const others = (['go', 'rust'] as const).flatMap((ecosystem) =>
    partsOf((folder) => findOtherPart(ecosystem, folder), { top, own: undefined, below }),
  );
  const isOfOthers = python.length + javascript.length === 0 && others.length > 0;
  const wantsServers = own.languageServers === true && !isOfOthers;
  return [...python, ...(wantsServers ? withServers(javascript, python.length > 0) : javascript), ...others];
}

/** In a folder of their own, so that a project keeps its own version of what it shares with a server. */
const serverPlace = `${mainPlaces.javascript}/.language-servers`;
const pythonServer = 'pyright@1.1.414';
const javascriptServer = 'typescript@7.0.2';

/**
 * The JavaScript parts of a project with the packages of language servers for what it is written in; for both languages
 * where that is not known.
 */
function withServers(parts: readonly DependencyPart[], hasPython: boolean): readonly DependencyPart[] {
  const packages = [
    ...(hasPython || parts.length === 0 ? [pythonServer] : []),
    ...(parts.length > 0 || !hasPython ? [javascriptServer] : []),
  ];
  const command = `npm install --prefix ${serverPlace} ${packages.join(' ')}`;
  const main = parts.find((part) => part.place === mainPlaces.javascript);
  if (main !== undefined)
    return parts.map((part) => (part === main ? { ...part, commands: [...part.commands, command] } : part));
  const own = {
    ecosystem: 'javascript',
    tool: 'npm',
    files: [],
    commands: [command],
    isNeeded: false,
    hosts: [],
  } as const;
  return [partAt(own, '', true), ...parts];
}

function partsOf(
  find: (top: ProjectTop, own: string | undefined) => FolderPart | null,
  {
    top,
    own,
    below,
  }: { readonly top: ProjectTop; readonly own: string | undefined; readonly below: readonly ProjectFolder[] },
): readonly DependencyPart[] {
  const first = find(top, own);
  const others = below.flatMap(({ folder, top: inside }) => {
    const part = find(inside, undefined);
    return part !== null && (isLocked(part) || (first === null && part.isNeeded)) ? [{ folder, part }] : [];
  });
  return [
    ...(first === null ? [] : [partAt(first, '', true)]),
    ...others.map(({ folder, part }, index) => partAt(part, folder, first === null && index === 0)),
  ];
}

function isLocked({ files }: FolderPart): boolean {
  return files.some((name) => /(?:\.lock|-lock\.(?:json|yaml)|shrinkwrap\.json|go\.sum)$/.test(name));
}

export interface KeyPlace {
  readonly imageId: string;
  /** The project itself, a real path, also for a copy of it. */
  readonly projectPath: string;
}

/**
 * The key of a part's volume. The same project, image, commands and content of the files that determine what is
 * installed have the same key. Two projects never share a volume: a build runs more of their files than these, so a
 * hostile project with the same lists could put code into the volume that then runs in the other.
 */
export function keyOf(part: DependencyPart, texts: ProjectTexts, { imageId, projectPath }: KeyPlace): string {
  const hash = createHash('sha256');
  const add = (text: string): void => void hash.update(`${Buffer.byteLength(text)}:${text}`);
  for (const text of [String(preparationVersion), projectPath, imageId, part.ecosystem, ...part.commands]) add(text);
  for (const name of part.files) {
    add(name);
    add(texts.get(name) ?? '');
  }
  return hash.digest('hex').slice(0, 32);
}
