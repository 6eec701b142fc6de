import { createHash } from 'node:crypto';
import {
  partAt,
  preparationVersion,
  type DependencyPart,
  type FolderPart,
  type OwnSetup,
  type ProjectTexts,
} from './dependency-part.ts';
import { findJavascriptPart } from './javascript-part.ts';
import type { ProjectFolder, ProjectTop } from './package-files.ts';
import { findPythonPart } from './python-part.ts';

/**
 * How a project's packages are installed, by what lies at its top and in the folders below. Pure. Empty where there is
 * nothing to install. A folder below counts where it has a lock file of its own, or where the top has nothing of its kind.
 */
export function findParts(
  top: ProjectTop,
  own: OwnSetup,
  below: readonly ProjectFolder[] = [],
): readonly DependencyPart[] {
  return [
    ...partsOf((folder, setup) => findPythonPart(folder, setup), { top, own: own.python, below }),
    ...partsOf((folder, setup) => findJavascriptPart(folder, setup), { top, own: own.javascript, below }),
  ];
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
  return files.some((name) => /(?:\.lock|-lock\.(?:json|yaml)|shrinkwrap\.json)$/.test(name));
}

export interface KeyPlace {
  readonly imageId: string;
  /** The project itself, a real path, also for a copy of it. */
  readonly projectPath: string;
}

/**
 * Under what a part's volume is kept: the same project, image, commands and bytes of the files that say what is installed
 * have the same key. Not for two projects: a build runs more of their files than these, and a hostile one with the same
 * lists would put into the volume what then runs in the other.
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
