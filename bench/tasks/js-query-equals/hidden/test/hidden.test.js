import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../src/query.js';

const cases = [
  ['token=YWJj==', { token: 'YWJj==' }],
  ['a==b', { a: '=b' }],
  ['flag', { flag: '' }],
  ['flag=', { flag: '' }],
  ['', {}],
  ['?', {}],
  ['a=1&&b=2', { a: '1', b: '2' }],
  ['n%3Dm=x%26y%3Dz', { 'n=m': 'x&y=z' }],
  ['e=x=y&e=z', { e: ['x=y', 'z'] }],
];

for (const [query, expected] of cases) {
  test(`parses ${JSON.stringify(query)}`, () => {
    assert.deepEqual(parseQuery(query), expected);
  });
}
