import { expect, it } from 'vitest';
import { isSameModel } from '../../../../src/main/agent/step/note-call-differences.ts';

it.each([
  ['gpt-6-sol', 'gpt-6-sol-2026-09-01', true],
  ['claude-opus-4-5', 'claude-opus-4-5-20251101', true],
  ['gemini-2.5-pro', 'models/gemini-2.5-pro', true],
  ['Qwen/Qwen3-Coder:fastest', 'qwen3-coder', true],
  ['gemini-flash-latest', 'gemini-3.8-flash', true],
  ['gpt-6-sol', 'gpt-6-luna', false],
  ['gpt-5', 'gpt-5-mini', false],
  ['claude-opus-5', 'claude-sonnet-5', false],
])('an answer by another model name is recognized: %s, answered by %s, is the same: %s', (asked, answered, isSame) => {
  expect(isSameModel(asked, answered)).toBe(isSame);
});
