'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const semver = require('..')

test('parses and prints versions', () => {
  assert.equal(semver.valid(' v1.2.3 '), '1.2.3')
  assert.equal(semver.valid('1.2'), null)
  assert.equal(semver.parse('1.2.3-rc.1+build.5').prerelease.join('.'), 'rc.1')
  assert.equal(semver.clean('  =v1.2.3  '), '1.2.3')
})

test('increments', () => {
  assert.equal(semver.inc('1.2.3', 'major'), '2.0.0')
  assert.equal(semver.inc('1.2.3', 'prerelease', 'beta'), '1.2.4-beta.0')
  assert.equal(semver.inc('1.2.4-beta.0', 'prerelease'), '1.2.4-beta.1')
})

test('compares plain versions', () => {
  assert.equal(semver.compare('1.2.3', '1.2.3'), 0)
  assert.equal(semver.compare('1.2.3', '1.10.0'), -1)
  assert.equal(semver.gt('2.0.0', '2.0.0-rc.1'), true)
})

test('sorts the example of the specification', () => {
  const sorted = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0']
  assert.deepEqual(semver.sort(sorted.slice().reverse()), sorted)
  assert.deepEqual(semver.rsort(sorted.slice()), sorted.slice().reverse())
})
