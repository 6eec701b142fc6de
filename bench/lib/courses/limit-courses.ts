import type { Course } from './course.ts';
import { both, call, done, edit, read, run, says } from './course.ts';
import type { Answer } from './scripted-models.ts';
import { healthy, notes, right } from './projects.ts';

const swapped = { 'calc.js': right.replace('a + b', 'b + a') } as const;
const swap = edit('calc.js', 'a + b', 'b + a');
/** An answer of 400 tokens, which the strong model writes for 0.6 cents. */
const costly = (answer: Answer): Answer => ({ ...answer, outputTokens: 400 });
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
      strong: [costly(swap), costly(run('ls')), costly(read('calc.js')), costly(done('The order is changed.'))],
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
  {
    name: 'a limit of 1 cent is enough for a short answer',
    files: notes,
    policy: 'cloud',
    cloud: { strong: [says('Notes are lines of text.')] },
    options: { maxUsd: 0.01 },
    does: [{ say: 'What are notes?' }],
    expected: { end: 'answered', says: [/lines of text/u] },
  },
  {
    name: 'a limit of 50 cents is not in the way of three steps',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [read('calc.js'), swap, done('The order is changed.')] },
    options: { maxUsd: 0.5 },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'at a limit the person adds money, and the same task goes on',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [costly(swap), costly(run('ls')), costly(done('The order is changed.'))] },
    options: { maxUsd: 0.02, atCap: 'ask' },
    raises: 0.1,
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'at a limit the model of this machine goes on, and pays nothing',
    files: healthy,
    policy: 'hybrid',
    cloud: { strong: [costly(swap), costly(run('ls')), costly(run('ls -l'))] },
    local: { large: ({ text }) => (/b \+ a/u.test(text) ? done('Finished here.') : both(read('calc.js'), swap)) },
    options: { maxUsd: 0.02, atCap: 'local', strategy: 'loop' },
    does: [{ say: task }],
    expected: { end: 'done', says: [/Finished here/u], files: swapped },
  },
  {
    name: 'the limit of tokens ends the turn with what is done',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [swap, read('calc.js'), read('calc.test.js'), run('ls'), done('The order is changed.')] },
    options: { maxTokens: 5000 },
    does: [{ say: task }],
    expected: { end: 'token-limit', says: [/tokens/u], files: swapped },
  },
  {
    name: 'the limit of time ends the turn with what is done',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [swap, { ...run('ls'), waitMs: 20_000 }, done('The order is changed.')] },
    options: { maxMinutes: 0.1 },
    does: [{ say: task }],
    expected: { end: 'time-limit', says: [/minute/u], files: swapped },
  },
  {
    name: 'a limit that a child would pass counts for the parent and the child together',
    files: notes,
    policy: 'cloud',
    cloud: {
      strong: [
        call('spawn_agent', { task: 'Count the lines.', access: 'read-only', model: 'sky/cheap' }),
        says('Three.'),
      ],
      cheap: ({ index }) => ({ ...run(`wc -l notes.txt # ${index}`), outputTokens: 8000 }),
    },
    options: { maxUsd: 0.05 },
    does: [{ say: 'Have an agent count the lines of notes.txt.' }],
    expected: { end: ['answered', 'done', 'cap'], paid: 12 },
  },
];
