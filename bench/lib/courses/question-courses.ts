import type { Course } from './course.ts';
import { blocked, both, call, done, edit, lastHas, read, says } from './course.ts';
import { broken, healthy, right, settings } from './projects.ts';

const which = 'Which host do you mean: the old one or the new one?';
const setHost = edit('config.txt', 'host=', 'host=new.example');
const isSet = { 'config.txt': 'host=new.example\nport=80\n' } as const;

const askHost = call('ask_person', {
  question: 'Which host?',
  choices: ['old.example', 'new.example'],
  default: 'new.example',
});

/** A model that needs the person, at every point of a task. */
export const questionCourses: readonly Course[] = [
  {
    name: 'asks in its first words, in plain words',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [says(which)] },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/old one or the new one/u] },
  },
  {
    name: 'asks after it has read, in plain words',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [read('config.txt'), says(which)] },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/old one or the new one/u] },
  },
  {
    name: 'asks after a change; the change stays',
    files: { ...settings, ...healthy },
    policy: 'cloud',
    cloud: { strong: [edit('config.txt', 'port=80', 'port=8080'), says(`The port is set. ${which}`)] },
    does: [{ say: 'Set port 8080 and the host in config.txt.' }],
    expected: { end: 'waiting', says: [/The port is set/u], files: { 'config.txt': 'host=\nport=8080\n' } },
  },
  {
    name: 'says that it is blocked, at once',
    files: { ...settings, ...broken },
    policy: 'cloud',
    cloud: { strong: [blocked('The name of the host is missing. Which one is it?')] },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/name of the host is missing/u] },
  },
  {
    name: 'says that it is blocked after half of the work; the half stays',
    files: { ...settings, ...broken },
    policy: 'cloud',
    cloud: { strong: [edit('calc.js', 'a - b', 'a + b'), blocked('add() is right now. The host is still missing.')] },
    does: [{ say: 'Fix add() and set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/The host is still missing/u], files: { 'calc.js': right } },
  },
  {
    name: 'is blocked in a project whose tests fail, with a local model at hand',
    files: broken,
    policy: 'hybrid',
    cloud: { strong: [read('calc.js'), blocked('Should add() add or subtract? The test and the readme differ.')] },
    local: { small: [says('I cannot do this.')] },
    options: { strategy: 'loop' },
    does: [{ say: 'Make calc.js do what it should.', options: { policy: 'cloud' } }],
    expected: { end: 'waiting', says: [/Should add\(\) add or subtract/u] },
  },
  {
    name: 'asks beside a call; the call runs and the work goes on',
    files: settings,
    policy: 'cloud',
    cloud: {
      strong: [both(says('Is it the new host? I look first.'), read('config.txt')), both(setHost, done('Set.'))],
    },
    does: [{ say: 'Set the host in config.txt to new.example.' }],
    expected: { end: 'done', files: isSet },
  },
  {
    name: 'asks in plain words, and the person answers; the next request holds both',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [says(which), both(setHost, done('The host is new.example.'))] },
    does: [{ say: 'Set the host in config.txt.' }, { say: 'The new one: new.example.' }],
    expected: {
      ends: ['waiting', 'done'],
      end: 'done',
      files: isSet,
      asked: lastHas(/old one or the new one/u, /The new one: new\.example/u, /Set the host/u),
    },
  },
  {
    name: 'is blocked, and the person answers with something else',
    files: settings,
    policy: 'cloud',
    cloud: {
      strong: [blocked(which), both(edit('config.txt', 'port=80', 'port=81'), done('Only the port was changed.'))],
    },
    does: [{ say: 'Set the host in config.txt.' }, { say: 'Forget the host. Set the port to 81.' }],
    expected: {
      ends: ['waiting', 'done'],
      end: 'done',
      says: [/Only the port was changed/u],
      files: { 'config.txt': 'host=\nport=81\n' },
      asked: lastHas(/old one or the new one/u, /Forget the host/u),
    },
  },
  {
    name: 'asks while it only plans; the question is the end',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [read('config.txt'), says(which)] },
    options: { mode: 'plan' },
    does: [{ say: 'Plan how to set the host in config.txt.' }],
    expected: { end: ['waiting', 'planned'], says: [/old one or the new one/u] },
  },
  {
    name: 'is blocked, Dewpoint is closed, and the person answers later',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [blocked(which), both(setHost, done('The host is new.example.'))] },
    does: [{ say: 'Set the host in config.txt.' }, { restart: true }, { say: 'new.example' }],
    expected: {
      ends: ['waiting', 'done'],
      end: 'done',
      files: isSet,
      asked: lastHas(/Set the host/u, /old one or the new one/u, /new\.example/u),
    },
  },
  {
    name: 'a large local model asks; the cloud is not paid to guess',
    files: settings,
    policy: 'local',
    local: { large: [read('config.txt'), says(which)] },
    cloud: { strong: [] },
    options: { strategy: 'loop' },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/old one or the new one/u], paid: 0 },
  },
  {
    name: 'asks by the question tool with nobody there: the turn waits with question and choices',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [askHost] },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'waiting', says: [/Which host/u, /old\.example/u, /new\.example/u] },
  },
  {
    name: 'asks by the question tool, and the same turn goes on with the answer',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [askHost, both(setHost, done('The host is new.example.'))] },
    answers: 'new.example',
    does: [{ say: 'Set the host in config.txt.' }],
    expected: {
      ends: ['done'],
      end: 'done',
      files: isSet,
      asked: lastHas(/Which host/u, /The user answered: new\.example/u),
    },
  },
  {
    name: 'asks by the question tool, and the person answers nothing: its default counts after the time they allow',
    files: settings,
    policy: 'cloud',
    cloud: { strong: [askHost, both(setHost, done('I took new.example, as you did not answer.'))] },
    options: { interactive: true, defaultAfterMinutes: 0.02 },
    does: [{ say: 'Set the host in config.txt.' }],
    expected: { end: 'done', says: [/did not answer/u], files: isSet },
  },
];
