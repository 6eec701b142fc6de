// The license texts of all that a packed app holds, as one file.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const isLicense = /^(?:un)?licen[cs]e|^copying/i;
const isText = /^(?:(?:un)?licen[cs]e|copying|notice|third.?party)/i;

/** For packages that name one of these and lack its text. @type {Record<string, string>} */
const standard = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
  'Apache-2.0': `Licensed under the Apache License, Version 2.0. Its text is the license of Dewpoint, above.`,
};

/**
 * @typedef {object} Own a package.json
 * @property {string} name
 * @property {string} version
 * @property {string} [license]
 * @property {string | {name?: string}} [author]
 */

/**
 * Writes the file: Dewpoint's own license, those of parts that are no packages, and each package's. A text that many
 * packages share word for word is there once. Throws where a package has none and no standard text is known.
 * @param {string} base the folder with `LICENSE`, `resources/licenses` and `node_modules`
 * @param {readonly string[]} packages paths as in the lock file
 * @returns {string}
 */
export function licenseTexts(base, packages) {
  const parts = join(base, 'resources', 'licenses');
  const files = readdirSync(parts).filter((name) => name.endsWith('.txt'));
  const sections = [
    { names: ['Dewpoint'], text: read(join(base, 'LICENSE')) },
    ...files.sort().map((file) => ({ names: [basename(file, '.txt')], text: read(join(parts, file)) })),
  ];
  /** @type {Map<string, Set<string>>} */
  const byText = new Map();
  for (const path of [...packages].sort()) {
    const { name, text } = licenseOf(join(base, path));
    byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  for (const [text, names] of byText) sections.push({ names: [...names], text });
  const rule = '='.repeat(80);
  return `${rule}\n${sections.map(({ names, text }) => `${names.join('\n')}\n\n${text}\n`).join(`\n${rule}\n`)}`;
}

/** @param {string} folder of a package @returns {{name: string, text: string}} */
function licenseOf(folder) {
  const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
  const name = `${own.name} ${own.version}`;
  const files = names.filter((file) => isText.test(file) && !/\.(?:[cm]?[jt]s|json)$/i.test(file)).sort();
  if (!files.some((file) => isLicense.test(file))) return { name, text: standardText(own) };
  return { name, text: files.map((file) => read(join(folder, file))).join('\n\n') };
}

/** The license of a package that names one and does not have its text. @param {Own} own @returns {string} */
function standardText(own) {
  const text = standard[own.license ?? ''];
  const author = typeof own.author === 'string' ? own.author : own.author?.name;
  if (text === undefined)
    throw new Error(
      `${own.name} ${own.version} has no license file, and "${own.license}" is none of ${Object.keys(standard).join(', ')}`,
    );
  return `${own.license} License\n\nCopyright (c) ${author ?? `the authors of ${own.name}`}\n\n${text}`;
}

/** @param {string} file */
function read(file) {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
}
