'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const semver = require('..')

test('numbers come before words, both ways round', () => {
  assert.equal(semver.compareIdentifiers(1, 'a'), -1)
  assert.equal(semver.compareIdentifiers('a', 1), 1)
  assert.equal(semver.compareIdentifiers('7', 'x7'), -1)
  assert.equal(semver.compareIdentifiers('x7', '7'), 1)
  assert.equal(semver.rcompareIdentifiers('7', 'x7'), 1)
  assert.equal(semver.compareIdentifiers('10', '9'), 1)
  assert.equal(semver.compareIdentifiers('same', 'same'), 0)
})

test('prereleases and builds use that order', () => {
  assert.equal(semver.lt('2.3.4-99', '2.3.4-a'), true)
  assert.equal(semver.gt('2.3.4-99', '2.3.4-a'), false)
  assert.equal(semver.compare('1.0.0-rc.1', '1.0.0-rc.next'), -1)
  assert.equal(semver.compareBuild('1.0.0+1', '1.0.0+b'), -1)
  assert.equal(semver.maxSatisfying(['1.0.0-1', '1.0.0-a', '1.0.0-0'], '>=1.0.0-0 <1.0.0'), '1.0.0-a')
  assert.equal(semver.satisfies('1.0.0-5', '>1.0.0-alpha', { includePrerelease: true }), false)
})
