import { expect, test } from 'vitest';
import { findCitations, supportingLine } from '../../../../src/main/recipes/answer/citations.ts';
import { newNameIn } from '../../../../src/main/recipes/edit/new-code.ts';
import { rankChunks, termsOf, type Chunk } from '../../../../src/main/recipes/context/rank-project-chunks.ts';

const chunk = (name: string, text: string): Chunk => ({
  path: `src/${name}.js`,
  name,
  startLine: 10,
  endLine: 20,
  text,
  span: null,
});

test('the ranking of code chunks puts the chunk with the wanted name and words first', () => {
  const ranked = rankChunks(
    [chunk('render', 'draws messages'), chunk('floodGuard', 'const maxMessages = 8'), chunk('rooms', 'join leave')],
    'How many messages until the flood guard mutes somebody?',
  );
  expect(ranked.map((one) => one.chunk.name)).toEqual(['floodGuard', 'render']);
});

test('the ranking of code chunks ignores word endings and splits camel case', () => {
  expect(termsOf('maxRetries retried')).toEqual(['max', 'retr', 'retr']);
});

test('the citations of an answer give its places and its supporting line', () => {
  expect(findCitations('See lib/flood.js:12 and lib/flood.js, line 3; not other.js:4.', ['lib/flood.js'])).toEqual([
    { path: 'lib/flood.js', line: 12 },
    { path: 'lib/flood.js', line: 3 },
  ]);
  const text = 'const a = 1;\nconst MUTE_SECONDS = 30;\nconst b = 2;';
  expect(supportingLine('They are muted for 30 seconds.', { startLine: 5, text }).line).toBe(6);
});

test('the name of a new function is read from its brackets, unless it exists', () => {
  expect(newNameIn('Add a function slugify(text) to text.js', new Set())).toBe('slugify');
  expect(newNameIn('Make slugify(text) faster, add a cache', new Set(['slugify']))).toBeNull();
  expect(newNameIn('The total is wrong', new Set())).toBeNull();
});
