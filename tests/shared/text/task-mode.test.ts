import { describe, expect, it } from 'vitest';
import { asksForFile, modeOfText, namesCode, needsNoProject } from '../../../src/shared/text/task-mode.ts';

/** Catches: a conversation that is turned into a file, and work that gets only an answer in words. */
describe('a message without a project', () => {
  it.each([
    'Answer with exactly three things that a process has and a thread has not.',
    'Write a poem about autumn.',
    'Fix the grammar of this sentence: he go home.',
    'Translate "good morning" into French.',
    'Plan a trip of three days to Lisbon, e.g. in May.',
    'Write an essay about Node.js and why it won.',
    'Hello!',
    'continue',
  ])('is taken as a conversation: %s', (text) => {
    expect(modeOfText(text, false)).toBe('ask');
  });

  it.each([
    'Write a Python script that renames photos.',
    'Make me a small web page with a clock.',
    'Save that as notes.md.',
    'Create notes.txt with a list of fruit.',
    'Run ls -la',
    'Schreibe die Liste in liste.csv',
  ])('is taken as work: %s', (text) => {
    expect(modeOfText(text, false)).toBe('work');
  });

  it('is taken as work when there are files it may be about, unless it is a question', () => {
    expect(modeOfText('Make it blue.', true)).toBe('work');
    expect(modeOfText('What does main.py do?', true)).toBe('ask');
    expect(modeOfText('Read main.py and tell me what it does.', true)).toBe('ask');
    expect(modeOfText('Look at main.py and report what is slow.', true)).toBe('ask');
    expect(modeOfText('Read main.py, tell me what it does and fix it.', true)).toBe('work');
    expect(modeOfText('Check main.py and list the faults, then repair them.', true)).toBe('work');
    expect(asksForFile('Version 1.5 is out, see example.com.')).toBe(false);
  });
});

/**
 * Catches: work on code that goes to a connected tool, and a request for such a tool that is taken for work on code.
 */
describe('a request where tools are connected', () => {
  it.each([
    'Rename getWeather to loadWeather everywhere.',
    'The total in shop/cart.py is wrong.',
    'The page shows the wrong unit.',
    'Guests cannot book a room. There is a red test.',
    'Which function decides that?',
  ])('names code: %s', (text) => {
    expect(namesCode(text)).toBe(true);
  });

  it.each([
    'Create a ticket that says the printer is broken.',
    'What is the weather at 46.603354,1.8883340 on 12/05/2026?',
    'Book a room for two, starting from May 12, 2026.',
    'Calculate the area of a triangle with a base of 6.5 and a height of 10.',
  ])('names none: %s', (text) => {
    expect(namesCode(text)).toBe(false);
  });
});

/** Catches: an answer about the project without a look at it. */
describe('a question in a project', () => {
  it.each(['What is a closure in JavaScript?', 'What does idempotent mean?', 'Hi there', 'Who wrote Hamlet?'])(
    'is answered without a look at it: %s',
    (text) => {
      expect(needsNoProject(text)).toBe(true);
    },
  );

  it.each([
    'Which port does the server use?',
    'What is an order in this code?',
    'What does parseDay() mean?',
    'What is a `Room`?',
    'Explain a_b',
    'Why?',
    'How many messages are a flood?',
  ])('is answered after a look at it: %s', (text) => {
    expect(needsNoProject(text)).toBe(false);
  });
});
