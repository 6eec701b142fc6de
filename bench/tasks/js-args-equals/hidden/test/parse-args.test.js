import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from '../src/parse-args.js';

test('option with a value', () => {
  assert.deepEqual(parseArgs(['--region', 'eu', 'app']), {
    options: { region: 'eu' },
    positional: ['app'],
  });
});

test('flag', () => {
  assert.deepEqual(parseArgs(['--dry-run', '--region', 'eu']).options, {
    'dry-run': true,
    region: 'eu',
  });
});

test('option with an equals sign', () => {
  assert.deepEqual(parseArgs(['--region=eu', 'app']), {
    options: { region: 'eu' },
    positional: ['app'],
  });
});
