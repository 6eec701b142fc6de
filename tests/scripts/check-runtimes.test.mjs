import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkRuntimes, hasHole } from '../../scripts/setup/check-runtimes.mjs';

const fixed = ['22.23.4', '24.22.1', '26.12.1'];
const hole = { id: 'CVE-1', what: 'made up', published: '2026-10-21', fixed: { node: fixed } };
const facts = {
  checked: '2026-11-01',
  holes: [hole],
  released: { 'node-a@24.22.0': '2026-10-01', 'node-a@24.22.1': '2026-10-21', 'electron@45.0.0': '2026-09-01' },
  excused: [],
};
const now = new Date('2026-11-11T12:00:00Z');

/** Catches: a runtime with a known hole that ships without anybody's decision. */
describe('the check of a version for a security hole', () => {
  it.each([
    ['24.22.0', true],
    ['24.22.1', false],
    ['24.22.10', false],
    ['24.9.0', true],
    ['26.12.1', false],
    ['26.10.0', true],
    ['22.23.4', false],
    // Lines that got no fix.
    ['20.20.2', true],
    ['25.9.9', true],
    // A line that began after the fix.
    ['27.0.0', false],
  ])('answers for %s: %s', (version, expected) => {
    expect(hasHole(version, fixed)).toBe(expected);
  });

  it('ignores a hole of another runtime', () => {
    expect(hasHole('1.0.0', undefined)).toBe(false);
  });
});

describe('the check of the shipped runtimes', () => {
  it('fails for an open hole, and names it with the age of the version', () => {
    const { lines, ok } = checkRuntimes({ 'node-a': '24.22.0' }, facts, now);
    expect(ok).toBe(false);
    expect(lines).toEqual([
      'node-a 24.22.0: 41 days old; CVE-1',
      'node-a 24.22.0 has CVE-1: made up.',
      'Holes and versions were last looked up on 2026-11-01, 10 days ago.',
    ]);
  });

  it('passes with an excuse, shows its reason, and fails once that is no longer needed', () => {
    const excused = [{ package: 'node-a', hole: 'CVE-1', why: 'nothing better is served' }];
    const open = checkRuntimes({ 'node-a': '24.22.0' }, { ...facts, excused }, now);
    expect(open.ok).toBe(true);
    expect(open.lines[0]).toBe('node-a 24.22.0: 41 days old; CVE-1, excused: nothing better is served');
    const mended = checkRuntimes({ 'node-a': '24.22.1' }, { ...facts, excused }, now);
    expect(mended.ok).toBe(false);
    expect(mended.lines).toContain('node-a 24.22.1 no longer needs its excuse for CVE-1.');
  });

  it('fails for a version whose date is missing', () => {
    expect(checkRuntimes({ 'node-a': '24.30.0' }, facts, now).ok).toBe(false);
  });

  it('warns when nobody has looked for long', () => {
    const { lines, ok } = checkRuntimes({ electron: '45.0.0' }, facts, new Date('2027-03-01'));
    expect(ok).toBe(true);
    expect(lines.at(-1)).toMatch(/120 days ago\. That is long ago: look again/u);
  });
});

it('the script of runtimes accepts the shipped runtimes, and lists all six', () => {
  const output = execFileSync(process.execPath, ['scripts/runtimes.mjs'], { encoding: 'utf8' });
  expect(output.match(/^(electron|node-)/gmu)).toHaveLength(6);
});
