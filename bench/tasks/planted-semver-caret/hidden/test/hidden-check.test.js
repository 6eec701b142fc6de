'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const semver = require('..')

const expanded = [
  ['^1.2.3', '>=1.2.3 <2.0.0-0'],
  ['^0.2.3', '>=0.2.3 <0.3.0-0'],
  ['^0.0.3', '>=0.0.3 <0.0.4-0'],
  ['^0.0.0', '>=0.0.0 <0.0.1-0'],
  ['^0.0.12', '>=0.0.12 <0.0.13-0'],
  ['^0.0.3-beta', '>=0.0.3-beta <0.0.4-0'],
  ['^0.1.0-rc.1', '>=0.1.0-rc.1 <0.2.0-0'],
  ['^0.0', '>=0.0.0 <0.1.0-0'],
  ['^10.0.0', '>=10.0.0 <11.0.0-0'],
]

for (const [range, wanted] of expanded) {
  test(`expands ${range}`, () => {
    const same = new semver.Range(wanted).range
    assert.equal(new semver.Range(range).range, same)
  })
}

test('the other questions about ranges agree', () => {
  assert.equal(semver.maxSatisfying(['0.0.3', '0.0.4', '0.0.9'], '^0.0.3'), '0.0.3')
  assert.equal(semver.gtr('0.0.4', '^0.0.3'), true)
  assert.equal(semver.intersects('^0.0.3', '^0.0.4'), false)
  assert.equal(semver.subset('^0.0.3', '0.0.x'), true)
})
