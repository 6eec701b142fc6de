import { describe, expect, it } from 'vitest';
import {
  asksForNoCode,
  asksToRun,
  callsOff,
  goesOn,
  hasLaterOrder,
  isQuestion,
  isSmallTalk,
} from '../../../src/shared/text/task-kind.ts';

describe('the check for small talk', () => {
  it.each(['Hello!', 'hi there', 'Thanks a lot!', 'OK, thanks', 'Guten Morgen', 'danke schön', '你好'])(
    'says yes to %j',
    (text) => {
      expect([isSmallTalk(text), isQuestion(text)]).toEqual([true, true]);
    },
  );

  it.each(['OK, do it', 'hi, fix the test', 'great, now the other one', 'go on', 'hello.py is broken', ''])(
    'says no to %j',
    (text) => {
      expect(isSmallTalk(text)).toBe(false);
    },
  );
});

describe('the search for a command to run', () => {
  it.each([
    ['Run the tests', 'tests'],
    ['please run all unit tests again and tell me what fails', 'tests'],
    ['run `tools/seed.py`', 'tools/seed.py'],
  ])('in %j finds: %s', (task, what) => {
    // The task needs a sandbox for commands. A question does not.
    expect([asksToRun(task), isQuestion(task)]).toEqual([what, false]);
  });

  it.each(['Run the tests and fix what fails', 'Make the tests run faster', 'run', 'Start with cart.py'])(
    'finds none in %j',
    (task) => {
      expect(asksToRun(task)).toBeNull();
    },
  );
});

describe('the check for a question', () => {
  it.each([
    'What does parse() return?',
    'Do the two parsers agree?',
    'Explain how the cache works.',
    'where is the version set',
    'List the public functions. Which of them are tested?',
    '这个函数是做什么的？',
    'I still get old mails. Why?',
    'How often do we retry, and which file says so? I need the exact number.',
    'How does it find out that a file has changed? Name the function that decides it.',
    'Can you explain what this regex does?',
    'Could you tell me where the config is loaded?',
    'Please describe the data model.',
    'Would it be hard to add pagination?',
    'Can I delete the dist folder?',
    'Give me an overview of the src folder.',
    'Kannst du mir erklären, was diese Funktion macht?',
    'Erkläre mir den Aufbau.',
    "Peux-tu m'expliquer ce que fait cette fonction ?",
    '¿Puedes explicarme cómo funciona el router?',
  ])('says yes to %j', (task) => {
    expect(isQuestion(task)).toBe(true);
  });

  // Bug: a text that began with a request to show something was taken for a question, and its order was not carried
  // out.
  it.each([
    'Show a table of the sizes, then make two files',
    'Show a table of notes.txt and make one.txt and two.txt.',
    'Explain the cache; also save a summary as cache.md.',
    'List the ports, please also store them in ports.txt',
    'What does parse() return, and could you write it into notes.md?',
    'What is in a.txt, then save it as b.txt',
    'Show a table of the sizes.\nThen, please, generate a chart file from it.',
  ])('finds the order in %j', (task) => {
    expect([isQuestion(task), hasLaterOrder(task)]).toEqual([false, true]);
  });

  it.each([
    'How do I open a file and write to it?',
    'Explain how to load and save settings.',
    'Which hooks create, update or remove rows?',
    'List the commands that create, change or delete files.',
    'How can you make files in Rust?',
    'What happens when I read it, then write it?',
    'Explain what runs first, then what writes the files.',
  ])('finds no order in %j', (task) => {
    expect([isQuestion(task), hasLaterOrder(task)]).toEqual([true, false]);
  });

  it.each([
    'Do the work.',
    'Do everything that TODO.md says',
    'Can you fix the parser?',
    'Fix the failing test.',
    'Show the sum and add a test for it.',
    'What does parse() return? Then fix it.',
    '修复测试。',
    'Add a --json option. What about the docs?',
    'build_order() should refuse circular dependencies.',
    'The parser drops the last line. Can you fix it?',
    'Run the linter. What does it say?',
    'Some games come out too high. Can you find out why? There is a red test.',
    'When a download finally fails we still wait once more. See the failing test.',
    'I ran it twice, and both times it crashed. Why?',
    'Is the date parser correct, and if not fix it?',
    'Is README.md up to date, and if not, update it.',
    'Could you tell me why the build fails and repair it?',
    'Could you explain the bug, then patch it?',
    'why does this fail? please fix',
    'Would you be so kind as to translate the comments?',
    'Any chance you could speed up the query?',
    'I would like you to extract the helper into its own file, ok?',
    'Ist der Parser richtig, und wenn nicht, korrigiere ihn?',
    'Kannst du mir sagen, warum der Test fehlschlägt, und ihn reparieren?',
    'Pourrais-tu ajouter un test ?',
    'Kun je deze fout oplossen?',
    'このバグを直してくれますか？',
    '你能修复这个错误吗？',
    'Можешь исправить эту ошибку?',
    '',
  ])('says no to %j', (task) => {
    expect(isQuestion(task)).toBe(false);
  });
});

describe('the check for a task without code', () => {
  it.each([
    'Check the network for me please',
    'Use the echo tool to say hello.',
    'Please run the linter and show me what it says.',
    'Call the weather server for Berlin.',
    'Count the lines of src.',
    'Deploy this project to the staging server stage.example.com with our deploy key',
    'Please commit my work.',
  ])('says yes to an order to look or to use something: %s', (task) => {
    expect(asksForNoCode(task)).toBe(true);
  });

  it.each([
    'Check the parser and fix what is wrong.',
    'Run the tests, then add one for the empty list.',
    'The login is slow.',
    'Behebe den Fehler in der Suche.',
    'Implement a queue.',
  ])('says no where code may be meant: %s', (task) => {
    expect(asksForNoCode(task)).toBe(false);
  });
});

describe('the check whether a task is called off', () => {
  it.each([
    'Never mind, leave everything as it is.',
    'Lass es, nichts ändern.',
    'stop',
    'Forget it. Explain billing.py instead.',
    'No, leave it.',
  ])('says yes to: %s', (text) => {
    expect(callsOff(text)).toBe(true);
  });

  it.each(['Postgres', 'the second', 'Stopwatch.py is meant', 'yes', 'Use the one that never minds gaps.'])(
    'says no to an answer: %s',
    (text) => {
      expect(callsOff(text)).toBe(false);
    },
  );
});

describe('the check whether a message only continues a task', () => {
  it.each(['continue', 'Go on.', 'weiter', 'the second one', 'The last, please'])('says yes to: %s', (text) => {
    expect(goesOn(text)).toBe(true);
  });

  it.each(['yes', 'continue with the parser', 'go on and fix it', 'the second test fails'])(
    'says no to: %s',
    (text) => {
      expect(goesOn(text)).toBe(false);
    },
  );
});
