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

test('understands simple ranges', () => {
  assert.equal(semver.satisfies('1.2.3', '1.x || >=2.5.0 || 5.0.0 - 7.2.3'), true)
  assert.equal(semver.satisfies('2.4.9', '1.x || >=2.5.0'), false)
  assert.equal(semver.satisfies('1.2.9', '~1.2.3'), true)
  assert.equal(semver.satisfies('1.3.0', '~1.2.3'), false)
})

test('caret ranges allow what does not change the left-most digit that is not zero', () => {
  assert.equal(semver.satisfies('1.9.9', '^1.2.3'), true)
  assert.equal(semver.satisfies('2.0.0', '^1.2.3'), false)
  assert.equal(semver.satisfies('0.2.9', '^0.2.3'), true)
  assert.equal(semver.satisfies('0.3.0', '^0.2.3'), false)
  assert.equal(semver.satisfies('0.0.3', '^0.0.3'), true)
  assert.equal(semver.satisfies('0.0.4', '^0.0.3'), false)
})
