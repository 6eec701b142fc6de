'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const pm = require('..');

test('matches stars and globstars', () => {
  assert.equal(pm.isMatch('a.js', '*.js'), true);
  assert.equal(pm.isMatch('a/b.js', '*.js'), false);
  assert.equal(pm.isMatch('a/b/c.js', '**/*.js'), true);
  assert.equal(pm.isMatch('.a.js', '*.js'), false);
  assert.equal(pm.isMatch('.a.js', '*.js', { dot: true }), true);
});

test('matches brackets, braces and negation', () => {
  assert.equal(pm.isMatch('b.txt', '[a-c].txt'), true);
  assert.equal(pm.isMatch('d.txt', '[^a-c].txt'), true);
  assert.equal(pm.isMatch('src/a.ts', 'src/*.{js,ts}'), true);
  assert.equal(pm.isMatch('a.md', '!*.md'), false);
});

test('matches extended globs', () => {
  assert.equal(pm.isMatch('foo.js', 'foo?(.min).js'), true);
  assert.equal(pm.isMatch('foo.min.min.js', 'foo+(.min).js'), true);
  assert.equal(pm.isMatch('foo.js', 'foo+(.min).js'), false);
  assert.equal(pm.isMatch('foo.js', 'foo*(.min).js'), true);
  assert.equal(pm.isMatch('foo.min.min.js', 'foo*(.min).js'), true);
  assert.equal(pm.isMatch('foo.css', 'foo.@(js|ts)'), false);
  assert.equal(pm.isMatch('foo.css', 'foo.!(js|ts)'), true);
});

test('scans a pattern', () => {
  assert.equal(pm.scan('src/lib/*.js').base, 'src/lib');
  assert.equal(pm.scan('!src/**').negated, true);
});
