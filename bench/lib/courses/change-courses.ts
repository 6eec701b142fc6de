import type { Course } from './course.ts';
import { both, done, edit, lastHas, read, says } from './course.ts';
import { healthy, notes, right, settings } from './projects.ts';
import type { Answer, Script } from './scripted-models.ts';

const swap = edit('calc.js', 'a + b', 'b + a');
const swapped = { 'calc.js': right.replace('a + b', 'b + a') } as const;
const task = 'Change the order of the operands in add().';
const cheap = { cloud: 'sky/cheap' } as const;
const noKey: Answer = { status: 401 };
const fails: Script = () => ({ status: 400 });

/** A person who changes the model, stops the work, goes on, or says more in the middle of it. */
export const changeCourses: readonly Course[] = [
  {
    name: 'another model is chosen in the middle of a task: it takes the next step, or the person is told why not',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [{ ...read('calc.js'), meanwhile: 'change' }, both(swap, done('Strong changed it.'))],
      cheap: [both(swap, done('Cheap changed it.'))],
    },
    meanwhile: { change: [{ say: 'Go on with the cheap model.', options: cheap }] },
    does: [{ say: task }],
    expected: { end: 'done', files: swapped, models: ['strong', 'cheap'] },
  },
  {
    name: 'the next message keeps the model that was chosen for the session',
    files: notes,
    policy: 'cloud',
    cloud: { strong: [says('Strong.'), says('Strong.')], cheap: [says('Three.'), says('Six.')] },
    does: [{ say: 'How many lines have the notes?', options: cheap }, { say: 'And twice that?' }],
    expected: { end: 'answered', says: [/Six/u], models: ['cheap'] },
  },
  {
    name: 'after a restart the session keeps the model that was chosen for it',
    files: notes,
    policy: 'cloud',
    cloud: { strong: [says('Strong.'), says('Strong.')], cheap: [says('Three.'), says('Six.')] },
    does: [{ say: 'How many lines have the notes?', options: cheap }, { restart: true }, { say: 'And twice that?' }],
    expected: { end: 'answered', says: [/Six/u], models: ['cheap'] },
  },
  {
    name: 'the work is stopped in the middle of an answer, and goes on from there',
    files: healthy,
    policy: 'cloud',
    cloud: {
      strong: [read('calc.js'), { ...swap, meanwhile: 'stop', waitMs: 500 }, both(swap, done('The order is changed.'))],
    },
    meanwhile: { stop: [{ cancel: true }] },
    does: [{ say: task }, { say: 'Go on.' }],
    expected: {
      ends: ['cancelled', 'done'],
      end: 'done',
      files: swapped,
      asked: lastHas(/Change the order/u, /return a \+ b/u, /Go on\./u),
    },
  },
  {
    name: 'the work is stopped after a change: the change stays and is told',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [swap, { ...read('calc.js'), meanwhile: 'stop', waitMs: 500 }] },
    meanwhile: { stop: [{ cancel: true }] },
    does: [{ say: task }],
    expected: { end: 'cancelled', says: [/calc\.js/u], files: swapped },
  },
  {
    name: 'the person says more in the middle of the work; the next request has it',
    files: healthy,
    policy: 'cloud',
    cloud: { strong: [{ ...read('calc.js'), meanwhile: 'more' }, both(swap, done('Changed, and b first.'))] },
    meanwhile: { more: [{ say: 'Put b first.' }] },
    does: [{ say: task }],
    expected: { end: 'done', says: [/b first/u], files: swapped, asked: lastHas(/Put b first/u) },
  },
  {
    name: 'the models of a task change from message to message, and each knows all that was said',
    files: notes,
    policy: 'cloud',
    cloud: {
      strong: [says('One is the first.')],
      cheap: [says('Two is the second.')],
      large: [says('Three is the third.')],
    },
    does: [
      { say: 'What is the first line?' },
      { say: 'And the second?', options: cheap },
      { say: 'And the third?', options: { cloud: 'sky/large' } },
    ],
    expected: {
      end: 'answered',
      says: [/Three is the third/u],
      models: ['strong', 'cheap', 'large'],
      asked: lastHas(/One is the first/u, /Two is the second/u),
    },
  },
  {
    name: 'of three models the first two are refused their key; the third does the work and its question is the end',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [says('Which host do you mean?')], cheap: () => noKey, middle: () => noKey },
    options: { modelOrder: ['sky/cheap', 'sky/middle', 'sky/strong'] },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/Which host/u], paid: 5 },
  },
  {
    name: 'of six models five have a server that fails; the sixth does the work',
    files: healthy,
    policy: 'hybrid',
    cloud: { strong: [swap, done('The order is changed.')], cheap: fails, middle: fails },
    local: { small: fails, large: fails, third: fails },
    options: {
      modelOrder: ['home/small', 'home/third', 'home/large', 'sky/cheap', 'sky/middle', 'sky/strong'],
      strategy: 'loop',
    },
    does: [{ say: task }],
    expected: { end: 'done', says: [/The order is changed/u], files: swapped, paid: 12 },
  },
  {
    name: 'of three models only those of this machine may work, and the cloud is not paid',
    files: notes,
    policy: 'local',
    cloud: { strong: [says('From the cloud.')] },
    local: { large: () => says('Three lines.'), small: fails },
    options: { modelOrder: ['home/small', 'home/large', 'sky/strong'], strategy: 'loop' },
    does: [{ say: 'How many lines have the notes?' }],
    expected: { end: 'answered', says: [/Three lines/u], paid: 0 },
  },
];
