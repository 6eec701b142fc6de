// npm run runtimes: how old the Node and Electron that ship are, and whether one of them has a known hole. Asks nobody.
// Exit code 1: a hole is open that is not excused, or a fact is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRuntimes } from './setup/check-runtimes.mjs';
import { platforms } from './setup/packed-files.mjs';
import { root } from './setup/paths.mjs';

const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { devDependencies, optionalDependencies } = read('package.json');
const nodes = Object.values(platforms).map(({ packages }) => packages.node.package);
const pins = {
  electron: devDependencies.electron,
  ...Object.fromEntries(nodes.map((name) => [name, optionalDependencies[name]])),
};
const { lines, ok } = checkRuntimes(pins, read('scripts/setup/runtime-facts.json'), new Date());
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = ok ? 0 : 1;
