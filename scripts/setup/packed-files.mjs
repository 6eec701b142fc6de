import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * What npm packages provide for each machine, where the program looks for it (src/main/lib/programs/platform-files.ts),
 * and how electron-builder names its results there.
 * @typedef {{package: string, file: string}} PackageFile
 * @typedef {{packages: Record<'node' | 'engine' | 'search' | 'keys', PackageFile>, packed: {program: string, resources: string}}} PlatformFiles
 * @type {Record<string, PlatformFiles>}
 */
export const platforms = JSON.parse(readFileSync(join(root, 'resources', 'platforms.json'), 'utf8'));

/** The key of this machine in the table. */
export const here = `${process.platform}-${process.arch}`;

/** Those of `src/main/lib/syntax/grammars.ts`. */
const grammars = [
  'bash',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'javascript',
  'php',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
].map((name) => `tree-sitter-${name}.wasm`);

/** Packages whose files the window's process reads as well: the grammars of code. */
export const loadedByWindow = ['web-tree-sitter', '@vscode/tree-sitter-wasm'];

/**
 * Packages that are not in the bundle, because they are native or their files are read at run time.
 * @param {PlatformFiles} platform
 */
export function loadedAtRunTime({ packages: { node, search, keys } }) {
  const own = [node, search, keys].map((one) => one.package);
  return ['node-llama-cpp', ...loadedByWindow, '@hyzyla/pdfium', ...own];
}

/**
 * Says whether a package ships. Variants of the engine for other processors and for graphics cards are downloaded when
 * a machine needs them. Packages nested deeper in the lock file in their place do not ship either.
 * @param {string} path of a package, as in the lock file
 * @param {PlatformFiles} platform
 */
export function isPackedPackage(path, { packages }) {
  return !path.includes('node_modules/@node-llama-cpp/') || path === `node_modules/${packages.engine.package}`;
}

/**
 * Says whether a file ships. Files for other platforms do not: SQLite for all of them is 30 MB, for one it is 2.5 MB.
 * @param {string} file in one of the packages, with slashes
 * @param {string} machine the key of the table
 */
export function isPackedFile(file, machine) {
  const prebuild = /\/prebuilds\/([^/]+)/.exec(file)?.[1];
  if (prebuild !== undefined && prebuild !== machine) return false;
  if (/\/tree-sitter-wasm\/wasm\/[^/]+\.wasm$/.test(file)) return grammars.some((name) => file.endsWith(name));
  // What draws pages is in the bundle, but for its program.
  if (/\/@hyzyla\/pdfium\/dist\//.test(file)) return file.endsWith('/pdfium.wasm');
  // Headers and manuals of Node.
  if (/\/node_modules\/node-(?:bin-)?[a-z]+-[a-z0-9]+\/(include|share|lib)(\/|$)/.test(file)) return false;
  // The history of llama.cpp, for those who build it themselves.
  if (file.endsWith('/gitRelease.bundle')) return false;
  // Electron does not run on the other C library, and nothing is compiled, tested or debugged in a packed app.
  if (/\.musl\.node$|\.(?:[ch]|cc|cpp|hpp|gyp|gypi)$|\/yarn\.lock$/i.test(file)) return false;
  if (/\/node_modules\/(?:@[^/]+\/[^/]+|[^@/][^/]*)\/(?:tests?|docs?|examples?|debug|\.github)(\/|$)/.test(file))
    return false;
  // Some packages have their license in a file for reading.
  if (/\/(?:licen[cs]e|copying|notice)[^/]*\.md$/i.test(file)) return true;
  return !/\.(map|md|flow|tsbuildinfo|[cm]?ts)$/i.test(file);
}
