import { describe, expect, it } from 'vitest';
import { guardKind, isTaskAbout, mayBeAdded } from '../../../src/main/safety/guarded-files.ts';

describe('the protection of tests and build files', () => {
  it.each([
    ['tests/test_a.py', 'test'],
    ['src/a.test.ts', 'test'],
    ['src/a-spec.js', 'test'],
    ['a_test.go', 'test'],
    ['conftest.py', 'test'],
    ['vitest.config.ts', 'test'],
    ['pkg/__tests__/a.js', 'test'],
    ['package-lock.json', 'lock'],
    ['sub/Cargo.lock', 'lock'],
    ['.github/workflows/ci.yml', 'ci'],
    ['.gitlab-ci.yml', 'ci'],
    ['AGENTS.md', 'instructions'],
    ['.cursor/rules/a.mdc', 'instructions'],
    ['.dewpoint/project.json', 'dewpoint'],
    ['src/a.ts', null],
    ['latest.py', null],
    ['contest.js', null],
    ['README.md', null],
  ])('knows the kind of %s', (path, kind) => {
    expect(guardKind(path)).toBe(kind);
  });

  it('lets a new test file be added, but no file that sets up tests', () => {
    expect(mayBeAdded('tests/test_new.py')).toBe(true);
    expect(mayBeAdded('tests/conftest.py')).toBe(false);
    expect(mayBeAdded('package-lock.json')).toBe(false);
  });
});

describe('the check whether a task is about tests', () => {
  it.each([
    'A test fails in this project. Find the bug and fix it.',
    'The test in tests/test_dates.py fails since yesterday. Fix it.',
    'Make all tests pass.',
    'Add a function so that the tests pass.',
    'Update parse() so it handles the cases in tests/test_dates.py, which fail now.',
  ])('says no to: %s', (task) => {
    expect(isTaskAbout(task, 'test', 'tests/test_dates.py')).toBe(false);
  });

  it.each([
    'Write a test for parse().',
    'Add some more unit tests for the date parser',
    'Rename the existing tests to the new names.',
    'Rewrite tests/test_dates.py with parametrize.',
  ])('says yes to: %s', (task) => {
    expect(isTaskAbout(task, 'test', 'tests/test_dates.py')).toBe(true);
  });

  it('also recognizes a task about a lock file, the CI or instructions', () => {
    expect(isTaskAbout('Bump the dependencies to the newest versions', 'lock', 'package-lock.json')).toBe(true);
    expect(isTaskAbout('Add a CI job for Windows', 'ci', '.github/workflows/ci.yml')).toBe(true);
    expect(isTaskAbout('Mention the formatter in AGENTS.md', 'instructions', 'AGENTS.md')).toBe(true);
    expect(isTaskAbout('Fix the parser', 'lock', 'package-lock.json')).toBe(false);
    expect(isTaskAbout('Change .dewpoint/project.json', 'dewpoint', '.dewpoint/project.json')).toBe(false);
  });
});
