import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { here, platforms } from './packed-files.mjs';
import { root } from './paths.mjs';

const ofNode = platforms[here]?.packages.node;

/** The npm package with Node 24 or newer for this machine, or undefined where none is published. */
export const nodePackage = ofNode?.package;

/**
 * The flags the program runs with. By default V8 lets the space for new objects grow to three times 16 MiB and keeps
 * it, which wastes memory in a program that runs all day and mostly waits.
 */
export const nodeFlags = ['--max-semi-space-size=8'];

/**
 * Finds the Node that the program runs on: the one installed beside it, else this process's own if that is new enough.
 * @returns {{ok: true, path: string} | {ok: false, message: string}}
 */
export function findNode24() {
  const packaged = ofNode && join(root, 'node_modules', ofNode.package, ofNode.file);
  if (packaged && existsSync(packaged)) return { ok: true, path: packaged };
  if (Number(process.versions.node.split('.')[0]) >= 24) return { ok: true, path: process.execPath };
  const why = nodePackage
    ? `the package ${nodePackage} is not installed (npm install --include=optional)`
    : `no npm package brings it for ${process.platform} on ${process.arch}`;
  return {
    ok: false,
    message: `Node 24 is needed and this is ${process.version}: ${why}. Install Node 24 or newer and try again.`,
  };
}
