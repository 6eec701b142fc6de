'use strict';
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { databaseUrl, loadSettings } = require('../lib/settings.js');

test('defaults', () => {
  assert.equal(databaseUrl(loadSettings('')), 'postgres://app@localhost:5432');
});

test('comments', () => {
  const text = '# our database\nDB_HOST=db1 # the new one\n  # DB_PORT=1\nDB_PORT = 6000\n';
  assert.equal(databaseUrl(loadSettings(text)), 'postgres://app@db1:6000');
});

test('a password with a #', () => {
  assert.equal(loadSettings('DB_PASSWORD=ab#cd\nDB_USER=root').password, 'ab#cd');
});

test('a password in quotes', () => {
  assert.equal(loadSettings('DB_PASSWORD="my pass # word"').password, 'my pass # word');
});

test('bad port', () => {
  assert.throws(() => loadSettings('DB_PORT=high'), /bad DB_PORT/);
});
