import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printTree } from '../src/index.js';

const file = (name) => ({ name });
const folder = (name, ...children) => ({ name, children });

test('folders first, with a slash', () => {
  assert.deepEqual(printTree([file('a.txt'), folder('src', file('b.js')), file('README.md')]), [
    '├── src/',
    '│   └── b.js',
    '├── a.txt',
    '└── README.md',
  ]);
});

test('at every level', () => {
  const tree = [folder('z', file('a'), folder('y', file('1')), folder('x')), folder('b')];
  assert.deepEqual(printTree(tree), [
    '├── b/',
    '└── z/',
    '    ├── x/',
    '    ├── y/',
    '    │   └── 1',
    '    └── a',
  ]);
});

test('an empty folder is a folder', () => {
  assert.deepEqual(printTree([file('a'), folder('z')]), ['├── z/', '└── a']);
});

test('entries are left alone', () => {
  const tree = [file('b'), folder('a', file('d'), file('c'))];
  const copy = structuredClone(tree);
  printTree(tree);
  assert.deepEqual(tree, copy);
  assert.deepEqual(printTree([]), []);
});
