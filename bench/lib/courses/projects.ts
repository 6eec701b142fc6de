import type { Files } from './course.ts';

/** The small projects that the courses work on. */
const header = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
const module = '{ "type": "module" }\n';

const testOf = (name: string, line: string): string => `${header}\ntest('${name}', () => {\n  ${line}\n});\n`;

export const right = 'export function add(a, b) {\n  return a + b;\n}\n';
export const wrong = 'export function add(a, b) {\n  return a - b;\n}\n';
const addTest = `${header}import { add } from './calc.js';\n\ntest('adds', () => {\n  assert.equal(add(2, 3), 5);\n});\n`;

/** All tests pass. */
export const healthy: Files = { 'package.json': module, 'calc.js': right, 'calc.test.js': addTest };
/** The test of `add` fails. */
export const broken: Files = { ...healthy, 'calc.js': wrong };
/** A test fails that has nothing to do with `add`. */
export const flawed: Files = { ...healthy, 'other.test.js': testOf('knows the moon', "assert.equal('moon', 'sun');") };
/** Without any test. */
export const bare: Files = { 'package.json': module, 'calc.js': right };
export const notes: Files = { 'notes.txt': 'one\ntwo\nthree\n' };
export const settings: Files = { 'config.txt': 'host=\nport=80\n' };

export const subCode = `${right}\nexport function sub(a, b) {\n  return a - b;\n}\n`;
export const subTest = `${header}import { sub } from './calc.js';\n\ntest('subtracts', () => {\n  assert.equal(sub(3, 1), 2);\n});\n`;

const medianCode = (line: string): string =>
  `export function median(numbers) {\n  const sorted = [...numbers].sort((a, b) => a - b);\n  const middle = Math.floor(sorted.length / 2);\n  ${line}\n}\n`;
const puzzleWrong = 'return sorted[middle];';
const puzzleRight = 'return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;';

/** A fault that no small change mends. */
export const puzzling = {
  wrong: puzzleWrong,
  right: puzzleRight,
  files: {
    'package.json': module,
    'median.js': medianCode(puzzleWrong),
    'median.test.js': `${header}import { median } from './median.js';\n\ntest('is between the two in the middle', () => {\n  assert.equal(median([4, 1, 3, 10]), 3.5);\n});\n`,
  },
} as const;
export const puzzlingRight: Files = { 'median.js': medianCode(puzzleRight) };
