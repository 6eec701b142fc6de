import { describe, expect, it } from 'vitest';
import type { Course } from '../../bench/lib/courses/course.ts';
import { courseGroups } from '../../bench/lib/courses/courses.ts';
import { judgeCourse } from '../../bench/lib/courses/judge-course.ts';
import { runCourse } from '../../bench/lib/courses/run-course.ts';

const all: readonly Course[] = Object.values(courseGroups).flat();
const place = { cache: '', limitMs: 50_000 };

/** Quick ones, without a run of tests. `npm run bench -- courses` plays all. */
const sample: ReadonlySet<string> = new Set([
  'asks in its first words, in plain words',
  'asks after it has read, in plain words',
  'asks in plain words, and the person answers; the next request holds both',
  'is blocked, and the person answers with something else',
  'is blocked, Dewpoint is closed, and the person answers later',
  'a large local model asks; the cloud is not paid to guess',
  'a question that opens with a statement is answered, and nothing is changed',
  'a limit that a child would pass counts for the parent and the child together',
  'a file that may not leave is read by the model of this machine, and stays here',
  'a child whose server fails: the parent is told and goes on',
  'the next message keeps the model that was chosen for the session',
  'find similar projects on this computer, which does not leave the folder',
  'a tool that lies: what the harness says is the world of the model, and no file is touched',
  'the models of a task change from message to message, and each knows all that was said',
]);

/**
 * Catches: a question that does not reach the person, an answer that does not reach the model, words of a model that
 * are lost, and work that is paid for unasked.
 */
describe('a course of the unexpected', () => {
  it('has a unique name', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it.for(all.filter(({ name }) => sample.has(name)))('ends as it should: $name', async (course) => {
    expect(judgeCourse(course, await runCourse(course, place))).toEqual([]);
  });

  // Bug: a judge that is content with everything.
  it('is judged by its end, its words, its files, its cost and its models', async () => {
    const [course] = courseGroups.questions;
    if (course === undefined) throw new Error('There is no course.');
    const seen = await runCourse(course, place);
    const expected = { end: 'done', says: [/ready/u], files: { 'new.txt': 'x' }, paid: 0, models: ['cheap'] };
    expect(judgeCourse({ ...course, expected }, seen)).toEqual([
      'ends done, not waiting',
      expect.stringMatching(/^says \/ready\//u),
      'new.txt holds nothing: it is gone',
      'pays for 0 calls at most, not 1',
      'calls cheap, not strong',
    ]);
    const mute = seen.results.map((result) => ({ ...result, text: '' }));
    expect(judgeCourse(course, { ...seen, results: mute })).toEqual([expect.stringMatching(/^loses the words/u)]);
    const failed = { ...seen, judged: { passed: false, output: '1 failed' } };
    const judge = { files: {}, command: 'node --test' };
    const judged = (more: object) => ({ ...course, expected: { ...course.expected, judge: { ...judge, ...more } } });
    expect(judgeCourse(judged({}), failed)).toEqual(['does not pass node --test: 1 failed']);
    expect(judgeCourse(judged({ ifSure: true }), failed)).toEqual([]);
    const claimed = { ...failed, results: failed.results.map((result) => ({ ...result, confidence: 'tests-pass' })) };
    expect(judgeCourse(judged({ ifSure: true }), claimed)).toEqual(['does not pass node --test: 1 failed']);
    const changed = { ...seen, files: new Map([['config.txt', '']]), shown: `${seen.shown} Nothing was changed.` };
    expect(judgeCourse(course, changed)).toEqual([
      'says "Nothing was changed" beside a changed file',
      expect.stringMatching(/^config\.txt holds/u),
    ]);
  });
});
