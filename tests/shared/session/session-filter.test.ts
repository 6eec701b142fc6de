import { expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/shared/contract/sessions-contract.ts';
import type { SessionFilter } from '../../../src/shared/session/session-filter.ts';
import { allTags, asTalks, fitsFilter } from '../../../src/shared/session/session-filter.ts';
import { changeTags, readTag } from '../../../src/shared/session/session-tags.ts';
import { unorganized } from '../../fakes/unorganized.ts';

const session = (sessionId: string, facts: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title: sessionId,
  projectPath: null,
  project: null,
  createdAt: 0,
  updatedAt: 100,
  steps: 1,
  costUsd: 0,
  status: 'idle',
  lastReason: null,
  ...unorganized,
  ...facts,
});

const sessions = [
  session('plain'),
  session('local', {
    places: ['local'],
    models: ['llama-cpp/starter'],
    projectPath: '/p',
    project: '/p',
    updatedAt: 200,
  }),
  session('both', { places: ['local', 'cloud'], models: ['llama-cpp/starter', 'sky/model'], costUsd: 2 }),
  session('unpriced', { places: ['cloud'], models: ['sky/model'], costUsd: null, tags: ['b', 'a'] }),
  session('away', { isArchived: true, tags: ['a'], isPinned: true }),
];

const fitting = (filter: SessionFilter): readonly string[] =>
  sessions.filter((one) => fitsFilter(one, filter)).map(({ sessionId }) => sessionId);

/**
 * Catches: a filter that shows archived sessions, hides those without a known price, or calls a session local that used
 * the cloud.
 */
it('the filter of sessions lists only those that fit', () => {
  expect(fitting({})).toEqual(['plain', 'local', 'both', 'unpriced']);
  expect(fitting({ archived: 'only' })).toEqual(['away']);
  expect(fitting({ archived: 'too', tag: 'a' })).toEqual(['unpriced', 'away']);
  expect(fitting({ place: 'local' })).toEqual(['local']);
  expect(fitting({ place: 'cloud', model: 'llama-cpp/starter' })).toEqual(['both']);
  expect(fitting({ minUsd: 1 })).toEqual(['both', 'unpriced']);
  expect(fitting({ since: 150 })).toEqual(['local']);
  expect(fitting({ project: '/p' })).toEqual(['local']);
  expect(fitting({ isPinned: true })).toEqual([]);
  expect(allTags(sessions)).toEqual(['a', 'b']);
});

/**
 * Catches: a tag that exists twice because of a capital letter or a `#`, and a tag that disturbs the line around it.
 */
it('the filter of sessions reads a tag as people type it', () => {
  expect(['#Billing', '  two   words ', 'C++', 'naïve/2', 'é'].map(readTag)).toEqual([
    'billing',
    'two words',
    'c++',
    'naïve/2',
    'é',
  ]);
  expect(['', '#', '-x', 'a\u202Eb', 'a,b', '<b>', 'x'.repeat(41)].map(readTag)).toEqual(Array(7).fill(null));
  expect(changeTags(['a', 'b'], ['b', 'c'], ['a'])).toEqual(['b', 'c']);
});

it('a talk is one entry: it opens the branch that needs the user, or the latest, and counts all of them', () => {
  const first = session('a', { costUsd: 1, steps: 2, updatedAt: 1, models: ['x/1'] });
  const second = session('b', { branchOf: 'a', costUsd: 2, steps: 3, updatedAt: 5, models: ['y/2'] });
  const third = session('c', { branchOf: 'a', costUsd: 4, steps: 1, updatedAt: 3 });
  const other = session('d', { updatedAt: 4 });
  const [talk, apart, ...more] = asTalks([second, other, third, first]);
  expect(talk).toMatchObject({ sessionId: 'b', branches: ['b', 'c', 'a'], costUsd: 7, steps: 6, updatedAt: 5 });
  expect(talk?.models.toSorted()).toEqual(expect.arrayContaining(['x/1', 'y/2']));
  expect(apart).toBe(other);
  expect(more).toEqual([]);
  expect(asTalks([second, { ...third, status: 'waiting' }, first])[0]).toMatchObject({
    sessionId: 'c',
    status: 'waiting',
  });
  // The cost of all is unknown when that of one is.
  expect(asTalks([second, { ...first, costUsd: null }])[0]?.costUsd).toBeNull();
});
