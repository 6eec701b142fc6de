import type { Course } from './course.ts';
import { both, done, edit, read, run } from './course.ts';
import { healthy, right } from './projects.ts';

const swapped = { 'calc.js': right.replace('a + b', 'b + a') } as const;
const swap = edit('calc.js', 'a + b', 'b + a');
const task = 'Change the order of the operands in add().';

/** Limits of money, steps, tokens and time. */
export const limitCourses: readonly Course[] = [
  {
    name: 'a limit of 2 cents is enough for steps of half a cent',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [read('calc.js'), both(swap, done('The order is changed.'))] },
    options: { maxUsd: 0.02 },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'a limit of 2 cents stops before the third step, not before the first, and what is done stays',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [
        { ...swap, outputTokens: 400 },
        { ...run('ls'), outputTokens: 400 },
        { ...read('calc.js'), outputTokens: 400 },
        { ...done('The order is changed.'), outputTokens: 400 },
      ],
    },
    options: { maxUsd: 0.02 },
    does: [{ say: task }],
    expected: { end: 'cap', says: [/could exceed/u], files: swapped },
  },
  {
    name: 'the limit of steps ends the turn with what is done',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [swap, read('calc.js'), run('ls')] },
    options: { maxSteps: 2 },
    does: [{ say: task }],
    expected: { end: 'step-limit', says: [/2 steps/u], files: swapped, paid: 2 },
  },
];
