import type { Course } from './course.ts';
import { both, call, done, edit, lastHas, read, run, says, write } from './course.ts';
import { bare, broken, flawed, healthy, notes, right, subCode, subTest } from './projects.ts';

const swap = edit('calc.js', 'a + b', 'b + a');
const swapped = { 'calc.js': right.replace('a + b', 'b + a') } as const;
const advice = 'add() is one addition. It cannot be made faster.';

/** Tasks that are no code, work that is done, and checks that are about something else. */
export const endCourses: readonly Course[] = [
  {
    name: 'a task without code in a project whose tests fail ends with its answer',
    files: broken,
    policy: 'cloud',
    cloud: { strong: [run('echo reachable'), done('Asked PyPI: it is reachable.')] },
    does: [{ say: 'Check the network for me please.' }],
    expected: { end: ['answered', 'done'], says: [/Asked PyPI: it is reachable/u] },
  },
  {
    name: 'a question in a project whose tests fail is answered, and nothing else',
    files: broken,
    policy: 'cloud',
    cloud: { strong: [read('calc.js'), says('It has one function, add().')] },
    does: [{ say: 'What is in calc.js?' }],
    expected: { end: 'answered', says: [/one function, add/u] },
  },
  {
    name: 'a fix that is not needed: the model says why, and that stands',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [read('calc.js'), done('add() is right; nothing to fix.'), done('add() is right; nothing to fix.')],
    },
    does: [{ say: 'Fix add() in calc.js if it is wrong.' }],
    expected: { end: ['answered', 'done'], says: [/add\(\) is right/u] },
  },
  {
    name: 'a test that fails for something else is named, and not repaired',
    files: flawed,
    policy: 'cloud',
    cloud: { strong: [both(edit('calc.js', 'return a + b;', 'return b + a;'), done('The order is changed.'))] },
    does: [{ say: 'Change the order of the operands in add().' }],
    expected: {
      end: 'done',
      says: [/The order is changed/u, /failed before/u],
      files: { 'calc.js': right.replace('a + b', 'b + a') },
    },
  },
  {
    name: 'a feature with a test of its own: the end says how many tests pass and that one is new',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [
        read('calc.js'),
        both(write('calc.js', subCode), write('sub.test.js', subTest)),
        done('sub() is there.'),
      ],
    },
    does: [{ say: 'Add a function sub() to calc.js, with a test.' }],
    expected: {
      end: 'done',
      says: [/sub\(\) is there/u, /2 tests pass/u, /(?:1|one) of them new/u],
      files: { 'calc.js': subCode, 'sub.test.js': subTest },
    },
  },
  {
    name: 'tests that are written in the turn are found when they are run, and count',
    files: bare,
    policy: 'cloud',
    cloud: {
      strong: [
        read('calc.js'),
        both(write('calc.js', subCode), write('sub.test.js', subTest)),
        call('run_tests', {}),
        done('sub() works.'),
      ],
    },
    does: [{ say: 'Add a function sub() to calc.js, with a test.' }],
    expected: {
      end: 'done',
      says: [/sub\(\) works/u, /pass/u],
      never: [/not tested/iu],
      files: { 'calc.js': subCode, 'sub.test.js': subTest },
      asked: (asked) =>
        /no test command/iu.test(asked.at(-1)?.text ?? '') ? 'the tests that were just written were not found' : null,
    },
  },
  {
    name: 'a question that opens with a statement is answered, and nothing is changed',
    files: notes,
    policy: 'cloud',
    cloud: { strong: [read('notes.txt'), says('The second line says two.')] },
    does: [{ say: 'I have some notes here. What does the second line say?' }],
    expected: { end: 'answered', says: [/second line says two/u] },
  },
  {
    name: 'a question together with an order: both are done, and the end has the answer',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [
        both(says('add() returns the sum.'), swap),
        done('add() returns the sum of both. The order is changed.'),
      ],
    },
    does: [{ say: 'What does add() return? And change the order of its operands, please.' }],
    expected: { end: 'done', says: [/returns the sum/u], files: swapped },
  },
  {
    name: 'the model answers in words in place of the work: it is asked once, and its words stand',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [says(advice), says(advice)] },
    does: [{ say: 'Make add() in calc.js faster: change it.' }],
    expected: { end: ['answered', 'waiting'], says: [/cannot be made faster/u] },
  },
  {
    name: 'a check that fails before and after for something else: what is done stays, and the end says both',
    files: { ...notes, 'README.md': '# Notes\n' },
    policy: 'cloud',
    cloud: {
      strong: [
        edit('README.md', '# Notes', '# My notes'),
        done('The title is changed.'),
        done('The title is changed; the check is about a license.'),
      ],
    },
    options: { check: 'test -e license.txt' },
    does: [{ say: 'Change the title in README.md to "My notes".' }],
    expected: {
      end: ['done', 'check-failed'],
      says: [/The title is changed/u],
      files: { 'README.md': '# My notes\n' },
      paid: 3,
    },
  },
  {
    name: 'a test that was written fails first: it is told, and repaired',
    files: bare,
    policy: 'cloud',
    cloud: {
      strong: [
        both(
          read('calc.js'),
          write('calc.js', subCode),
          write('sub.test.js', subTest.replace('(3, 1), 2', '(3, 1), 4')),
        ),
        done('sub() works.'),
        edit('sub.test.js', '4', '2'),
        done('sub() works, and its test is right now.'),
      ],
    },
    does: [{ say: 'Add a function sub() to calc.js, with a test.' }],
    expected: {
      end: 'done',
      says: [/test is right now/u, /pass/u],
      files: { 'calc.js': subCode, 'sub.test.js': subTest },
      asked: lastHas(/subtracts/u),
    },
  },
];
