import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from '../src/parse-args.js';

test('the value may contain an equals sign', () => {
  assert.deepEqual(parseArgs(['--env=KEY=value=1']).options, { env: 'KEY=value=1' });
});

test('an option with "=" does not take the next argument', () => {
  assert.deepEqual(parseArgs(['--a=1', 'file', '--b', '2']), {
    options: { a: '1', b: '2' },
    positional: ['file'],
  });
});

test('both forms and flags together', () => {
  assert.deepEqual(parseArgs(['--verbose', '--a=x', '--b', 'y', '--c']).options, {
    verbose: true,
    a: 'x',
    b: 'y',
    c: true,
  });
});

test('an equals sign after "--" or in a positional means nothing', () => {
  assert.deepEqual(parseArgs(['a=b', '--', '--x=y']), {
    options: {},
    positional: ['a=b', '--x=y'],
  });
});

test('an equals sign in a separate value stays there', () => {
  assert.deepEqual(parseArgs(['--env', 'KEY=value']).options, { env: 'KEY=value' });
});
