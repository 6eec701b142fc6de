import type { Course } from './course.ts';
import { blocked, both, call, done, edit, lastHas, read, says } from './course.ts';
import { broken, healthy, notes, right, wrong } from './projects.ts';

const swap = edit('calc.js', 'a + b', 'b + a');
const swapped = { 'calc.js': right.replace('a + b', 'b + a') } as const;
const task = 'Change the order of the operands in add().';
const bendTest = both(read('calc.test.js'), edit('calc.test.js', '5', '-1'));
const secret = { ...notes, 'secret.txt': 'the launch code is seven four nine two and nobody may know it\n' } as const;
const fenced = { fences: { rules: [{ paths: ['secret.txt'], verdict: 'local-only' }] } } as const;
const child = (model: string) =>
  call('spawn_agent', { task: 'Count the lines of notes.txt.', access: 'read-only', model });

/** Refused edits, empty and half answers, errors of a server, fences, children that fail. */
export const troubleCourses: readonly Course[] = [
  {
    name: 'the person refuses a change of a test; the model says so, and that is the end',
    files: broken,
    policy: 'cloud',
    cloud: { strong: [bendTest, blocked('You refused the change of the test. Is add() to subtract?')] },
    approves: 'deny',
    does: [{ say: 'Make the tests of calc.js agree with the code.' }],
    expected: { end: 'waiting', says: [/You refused the change/u] },
  },
  {
    name: 'the person refuses a change of a test; the model repairs the code instead',
    files: broken,
    policy: 'cloud',
    cloud: { strong: [bendTest, both(read('calc.js'), edit('calc.js', 'a - b', 'a + b')), done('add() adds now.')] },
    approves: 'deny',
    does: [{ say: 'Fix add(), so that the test passes.' }],
    expected: { end: 'done', says: [/add\(\) adds now/u], never: [/not tested/u], files: { 'calc.js': right } },
  },
  {
    name: 'an empty answer is asked again, and the work goes on',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [says(''), swap, done('The order is changed.')] },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'nothing but empty answers: the turn ends soon and says so',
    files: broken,
    policy: 'cloud',
    cloud: { strong: () => says('') },
    does: [{ say: 'Fix add().' }],
    expected: { end: ['gave-up', 'error', 'incomplete'], says: [/empty|no answer|nothing|said no/iu], paid: 3 },
  },
  {
    name: 'an answer in words that is cut at its longest is not taken for the whole',
    files: notes,
    policy: 'cloud',
    cloud: {
      strong: [{ text: 'The notes have three', finish: 'length' }, says(' lines: one, two, three.')],
    },
    does: [{ say: 'How many lines have the notes?' }],
    expected: { end: ['answered', 'incomplete', 'output-limit'], says: [/The notes have three/u] },
  },
  {
    name: 'a call that is cut in the middle is not run, and the model tries again',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [
        { calls: [{ name: 'write_file', input: '{"path":"calc.js","content":"export fun' }], finish: 'length' },
        swap,
        done('The order is changed.'),
      ],
    },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'the server fails once in the middle of the task',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [swap, { status: 500 }, done('The order is changed.')] },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped },
  },
  {
    name: 'the server fails for good after a change: the change stays, and the end says what failed',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: ({ index }) => (index === 0 ? swap : { status: 400 }) },
    does: [{ say: task }],
    expected: { end: ['error', 'missing'], says: [/400|refused|rejected/u], files: swapped },
  },
  {
    name: 'the key is refused in the middle of the task, with a local model at hand: no recipe, no other work',
    files: broken,
    policy: 'cloud',
    cloud: { strong: ({ index }) => (index === 0 ? read('calc.js') : { status: 401 }) },
    local: { small: [] },
    does: [{ say: 'Fix add().' }],
    expected: { end: ['error', 'missing'], says: [/key/iu], files: { 'calc.js': wrong }, models: ['strong'] },
  },
  {
    name: 'a file that may not leave is in the way in the cloud: it stays here, and the end names it',
    files: secret,
    policy: 'cloud',
    cloud: { strong: ({ text }) => (text.includes('seven four') ? says('It leaked.') : read('secret.txt')) },
    settings: fenced,
    does: [{ say: 'What is the code in secret.txt?' }],
    expected: { end: ['fenced', 'answered', 'waiting'], says: [/secret\.txt/u], never: [/It leaked/u], paid: 4 },
  },
  {
    name: 'a file that may not leave is read by the model of this machine, and stays here',
    files: secret,
    policy: 'hybrid',
    cloud: { strong: ({ text }) => (text.includes('seven four') ? says('It leaked.') : read('secret.txt')) },
    local: { large: ({ text }) => (text.includes('seven four') ? says('seven four nine two') : read('secret.txt')) },
    settings: fenced,
    options: { strategy: 'loop' },
    does: [{ say: 'What is the code in secret.txt?' }],
    expected: { end: 'answered', says: [/seven four nine two/u], never: [/It leaked/u], paid: 2 },
  },
  {
    name: 'a child whose server fails: the parent is told and goes on',
    files: notes,
    policy: 'cloud',
    cloud: {
      strong: [child('sky/cheap'), says('The agent failed; I count three lines.')],
      cheap: () => ({ status: 400 }),
    },
    does: [{ say: 'Have an agent count the lines of notes.txt.' }],
    expected: {
      end: ['answered', 'done'],
      says: [/I count three lines/u],
      asked: lastHas(/fail|error|400/iu),
      paid: 4,
    },
  },
  {
    name: 'a child that is blocked: the parent gets its question, and the sum has both',
    files: notes,
    policy: 'cloud',
    cloud: {
      strong: [child('sky/cheap'), says('Which notes do you mean? The agent could not tell.')],
      cheap: [blocked('There are two kinds of notes. Which?')],
    },
    does: [{ say: 'Have an agent count the lines of my notes.' }],
    expected: { end: 'waiting', says: [/Which notes/u], asked: lastHas(/two kinds of notes/u) },
  },
];
