import type { Course } from './course.ts';
import { both, done, edit, read, says } from './course.ts';
import { broken, healthy, notes, puzzling, puzzlingRight, right } from './projects.ts';

const mend = both(edit('median.js', puzzling.wrong, puzzling.right), done('The median of an even count is right now.'));

/** The model of this machine is the real starter; the cloud is a script. */
export const starterCourses: readonly Course[] = [
  {
    name: 'a greeting is answered here, and costs nothing',
    policy: 'hybrid',
    hasStarter: true,
    cloud: { strong: [says('Hello from the cloud.')] },
    does: [{ say: 'Hello!' }],
    expected: { end: 'answered', paid: 0 },
  },
  {
    name: 'a slip that a test shows is repaired here, and costs one review at most',
    files: broken,
    policy: 'hybrid',
    hasStarter: true,
    cloud: { strong: [read('calc.js'), mend] },
    does: [{ say: 'A test fails. Fix it.' }],
    expected: { end: 'done', never: [/not tested/u], files: { 'calc.js': right }, paid: 1 },
  },
  {
    name: 'what the starter cannot repair the cloud takes over, and asks; its question is the end',
    files: puzzling.files,
    policy: 'hybrid',
    hasStarter: true,
    cloud: { strong: () => says('Is the median of no numbers 0, or an error?') },
    does: [{ say: 'A test fails. Fix it.' }],
    expected: { end: 'waiting', says: [/median of no numbers/u], never: [/None of \d+/u], paid: 2 },
  },
  {
    name: 'what the starter cannot repair the cloud does within the limit of 5 cents',
    files: puzzling.files,
    policy: 'hybrid',
    hasStarter: true,
    cloud: { strong: () => mend },
    options: { maxUsd: 0.05 },
    does: [{ say: 'A test fails. Fix it.' }],
    expected: { end: 'done', says: [/right now/u], files: puzzlingRight, paid: 2 },
  },
  {
    name: 'alone, the starter gives up what it cannot repair, and leaves every file as it was',
    files: puzzling.files,
    policy: 'local',
    hasStarter: true,
    does: [{ say: 'A test fails. Fix it.' }],
    expected: { end: ['gave-up', 'check-failed'], says: [/median/u] },
  },
  {
    name: 'alone, the starter answers a question, and changes nothing although a test fails',
    files: { ...broken, ...notes },
    policy: 'local',
    hasStarter: true,
    does: [{ say: 'What does the function in calc.js do?' }],
    expected: { end: 'answered', never: [/by trial and error/u] },
  },
  {
    name: 'the starter is stopped in the middle of its work, and the cloud goes on when told to',
    files: puzzling.files,
    policy: 'local',
    hasStarter: true,
    cloud: { strong: () => mend },
    stopsAfterMs: 1500,
    does: [{ say: 'A test fails. Fix it.' }, { say: 'Go on in the cloud.', options: { policy: 'cloud' } }],
    expected: { ends: ['cancelled', 'done'], end: 'done', files: puzzlingRight, paid: 2 },
  },
  {
    name: 'a new function with a small model: what no test judges is proposed, not called done',
    files: healthy,
    policy: 'local',
    hasStarter: true,
    does: [{ say: 'Add a function sub(a, b) to calc.js that returns a minus b.' }],
    expected: { end: ['done', 'gave-up'], says: [/proposed|gave-up|review/u], files: { 'calc.js': /add/u } },
  },
];
