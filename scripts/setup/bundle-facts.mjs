// What is in each part of a build: the bundler writes it down, packing reads it.
import { relative } from 'node:path';
import { root } from './paths.mjs';

/** Lies beside the files of each part. */
export const factsFile = 'bundle-facts.json';

/**
 * @typedef {object} BundleFacts
 * @property {string[]} packages of all modules, as paths like in the lock file
 * @property {Record<string, string[]>} files each entry, with itself and all that it loads from the same part
 */

/** The style sheet and the helpers in a build come from these. No module says so. */
export const builders = ['tailwindcss', 'vite', 'rolldown'].map((name) => `node_modules/${name}`);

/**
 * The package that a module belongs to. A folder `node_modules` further inside a package is part of that package.
 * @param {string} file a module's name, as the bundler knows it
 * @returns {string | undefined}
 */
export function packageOf(file) {
  const path = relative(root, file.replace(/^\0/, '').replace(/[?#].*$/, '')).replaceAll('\\', '/');
  return /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/.exec(path)?.[0].replace(/\/$/, '');
}

/**
 * @param {Record<string, {isEntry?: boolean, imports?: string[], dynamicImports?: string[]}>} bundle by file
 * @param {string} entry
 * @returns {string[]}
 */
export function filesOf(bundle, entry) {
  const files = new Set([entry]);
  // A set that grows while it is walked is walked to its end.
  for (const file of files)
    for (const next of [...(bundle[file]?.imports ?? []), ...(bundle[file]?.dynamicImports ?? [])])
      if (next in bundle) files.add(next);
  return [...files].sort();
}

/**
 * A plugin of the bundler that writes the facts down.
 * @returns {import('vite').Plugin}
 */
export function writeBundleFacts() {
  return {
    name: 'write-bundle-facts',
    generateBundle(_, bundle) {
      const packages = [...this.getModuleIds()].map(packageOf).filter((path) => path !== undefined);
      const entries = Object.values(bundle).filter((file) => file.type === 'chunk' && file.isEntry);
      const files = Object.fromEntries(entries.map(({ fileName }) => [fileName, filesOf(bundle, fileName)]));
      const source = `${JSON.stringify({ packages: [...new Set(packages)].sort(), files }, null, 2)}\n`;
      this.emitFile({ type: 'asset', fileName: factsFile, source });
    },
  };
}
