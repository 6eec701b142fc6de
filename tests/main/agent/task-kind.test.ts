import { describe, expect, it } from 'vitest';
import { isQuestion } from '../../../src/main/agent/task-kind.ts';

describe('isQuestion', () => {
  it.each([
    'What does parse() return?',
    'Do the two parsers agree?',
    'Explain how the cache works.',
    'where is the version set',
    'List the public functions. Which of them are tested?',
    '这个函数是做什么的？',
  ])('takes %j for a question', (task) => {
    expect(isQuestion(task)).toBe(true);
  });

  it.each([
    'Do the work.',
    'Do everything that TODO.md says',
    'Can you fix the parser?',
    'Fix the failing test.',
    'Show the sum and add a test for it.',
    'What does parse() return? Then fix it.',
    '修复测试。',
    '',
  ])('takes %j for work', (task) => {
    expect(isQuestion(task)).toBe(false);
  });
});
