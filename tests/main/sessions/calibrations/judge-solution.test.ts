import { describe, expect, it } from 'vitest';
import { judgeSolution } from '../../../../src/main/sessions/calibrations/judge-solution.ts';
import { isRightAnswer } from '../../../../src/main/sessions/calibrations/right-answer.ts';

/** Catches: an answer that is right by chance, such as a list of everything. */
describe('an answer to a question about the code', () => {
  const file = { type: 'file', path: 'src/a.py', others: ['src/b.py', 'lib/src/a.py'] } as const;
  const known = { ...file, others: [...file.others] };

  it.each([
    ['It is in src/a.py.', true],
    ['`src/a.py:12`, and it is used in src/b.py', true],
    ['./src/a.py', true],
    ['src/b.py, src/a.py', false],
    ['src/a.py, src/b.py, lib/src/a.py', false],
    ['lib/src/a.py', false],
    ['src/a.pyx', false],
    ['I do not know.', false],
    ['', false],
  ])('"%s" that names a file is judged %s', (answer, isRight) => {
    expect(isRightAnswer(answer, known)).toBe(isRight);
  });

  it('is wrong if it repeats the only two files that there are', () => {
    const two = { ...file, others: ['src/b.py'] };
    expect(['src/a.py', 'src/a.py\nsrc/b.py'].map((text) => isRightAnswer(text, two))).toEqual([true, false]);
  });

  it.each([
    ['one and two', true],
    ['one, two, other', true],
    ['one, two, other, more', false],
    ['one', false],
    ['onetwo', false],
  ])('"%s" that lists names is judged %s', (answer, isRight) => {
    expect(isRightAnswer(answer, { type: 'names', names: ['one', 'two'], others: ['other', 'more'] })).toBe(isRight);
  });
});

describe('the work on a task with a check', () => {
  const check = { command: 'pytest', passed: true, seconds: 1, summary: '' };
  const image = { kept: true, blob: { sha256: '0', bytes: 1 }, mode: 0o644 } as const;
  const task = { answer: null, tests: ['fixtures/data.json'] };

  it('counts as solved if the check passes, also with a new test beside the old ones', () => {
    const changes = [
      { path: 'src/a.py', before: image },
      { path: 'tests/test_new.py', before: null },
    ];
    expect(judgeSolution(task, { text: '', changes, check })).toEqual({ solved: true, why: null });
  });

  it.each(['tests/test_a.py', 'fixtures/data.json'])('counts as not solved if %s was changed', (path) => {
    expect(judgeSolution(task, { text: '', changes: [{ path, before: image }], check }).solved).toBe(false);
  });

  it('is not judged if the check could not run', () => {
    const lost = { ...check, passed: null, summary: 'The container is gone.' };
    expect(judgeSolution(task, { text: '', changes: [], check: lost })).toEqual({
      solved: null,
      why: 'The container is gone.',
    });
  });
});
