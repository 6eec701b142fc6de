// node scripts/notice.mjs: rewrites NOTICE from the packages that ship. A test fails when it is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageClosure } from './setup/package-closure.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

// The lock file lists these as development packages because they are bundled. They ship all the same.
const builtIn = ['@fontsource/roboto', 'react', 'react-dom'];

// Licenses that the lock file lacks, taken from the packages' own files.
const statedElsewhere = new Map([
  ['ssh2', 'MIT'],
  ['cpu-features', 'MIT'],
  ['buildcheck', 'MIT'],
]);

/**
 * @typedef {{version: string, name?: string, license?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>}} Locked
 * @typedef {{name: string, version: string, license: string}} Component
 */

/**
 * Returns every package that ships, by name and version: bundled or installed beside the program, on any platform.
 * @param {{packages: Record<string, Locked>}} lock
 * @returns {Component[]}
 */
export function shippedComponents(lock) {
  const top = lock.packages[''];
  if (top === undefined) throw new Error('the lock file has no root package');
  const names = [...Object.keys(top.dependencies ?? {}), ...Object.keys(top.optionalDependencies ?? {}), ...builtIn];
  const components = packageClosure(lock, names).map((path) => {
    const { version, license, name: real } = lock.packages[path];
    // An aliased package lies under another name than its own.
    const name = real ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version, license: license ?? statedElsewhere.get(name) ?? '' };
  });
  const byText = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, component]) => component);
}

/** @param {readonly Component[]} components */
export function noticeText(components) {
  const lines = components.map(({ name, version, license }) => `  ${name} ${version}  ${license}`);
  return `Dewpoint
Copyright 2026 The Dewpoint authors

This product is licensed under the Apache License, Version 2.0 (see LICENSE).

It contains, or is installed with, the packages listed below, each under its own license. The text of each lies in
the package's folder under node_modules. A packed app has the texts of all that it holds in LICENSES.txt beside its
program, and those of Electron and Chromium in LICENSE.electron.txt and LICENSES.chromium.html there. Some packages carry
programs of others, whose licenses are in resources/licenses:

  @node-llama-cpp/*          the engine llama.cpp and its ggml library (MIT)
  @vscode/ripgrep-*          the program ripgrep (MIT or Unlicense) with PCRE2 (BSD-3-Clause)
  @vscode/tree-sitter-wasm   grammars of the tree-sitter project and its contributors (MIT)
  unpdf                      pdf.js (Apache-2.0, Mozilla Foundation)
  @hyzyla/pdfium             PDFium (BSD-3-Clause, the PDFium authors) with the libraries that it holds
  resources/symbols/*.scm    the queries of the packages tree-sitter-* for names in source files (MIT, the tree-sitter
                             contributors), beside our own (own-*.scm)
  resources/sandbox/seccomp.json   derived from the default profile of moby/profiles 0.2.3 (Apache-2.0, Docker, Inc.
                             and the Moby authors)
  src/main/lib/secrets/service-keys.ts   derived from the rules of gitleaks 8.30.1 (MIT, Zachary Rice)
  node-*                     the program Node.js (MIT, and the licenses in its LICENSE file)

A packed app contains Electron (MIT, and the licenses of Chromium). Otherwise Electron is fetched when it is needed. Not
part of either, but fetched when they are needed, each under its own license: the models in resources/models.json and
resources/catalog.json (the license of each is named there), the packages of the sandbox image
(resources/sandbox/Dockerfile).

This list is written by scripts/notice.mjs from package-lock.json.

${lines.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  writeFileSync(join(root, 'NOTICE'), noticeText(shippedComponents(lock)));
}
