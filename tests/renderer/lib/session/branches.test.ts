import { expect, it } from 'vitest';
import { alternativesAt } from '../../../../src/renderer/lib/session/branches.ts';

/** `b` has b2 instead of a2, `c` continues `b`, and `d` has another first message. */
const branches = [
  { sessionId: '2-b', updatedAt: 5, messages: ['a1', 'b2'] },
  { sessionId: '1-a', updatedAt: 9, messages: ['a1', 'a2', 'a3'] },
  { sessionId: '3-c', updatedAt: 7, messages: ['a1', 'b2', 'c3'] },
  { sessionId: '4-d', updatedAt: 1, messages: ['d1'] },
];
const at = (sessionId: string, messageId: string) => alternativesAt(branches, { sessionId, messageId });

/**
 * Catches: a branch that is counted once for each session with it, or that is lost because it continues in another
 * session.
 */
it('the branches at a message are counted in the order in which they were written', () => {
  const second = [
    { sessionId: '1-a', messageId: 'a2' },
    { sessionId: '3-c', messageId: 'b2' },
  ];
  expect(at('1-a', 'a2')).toEqual({ at: 0, ways: second });
  expect(at('3-c', 'b2')).toEqual({ at: 1, ways: second });
  // Two sessions have the same message. The user stays in the one that is open.
  expect(at('2-b', 'b2')?.ways[1]).toEqual({ sessionId: '2-b', messageId: 'b2' });
  expect(at('1-a', 'a1')?.ways.map(({ messageId }) => messageId)).toEqual(['a1', 'd1']);
});

/** Catches: messages of other branches counted as alternatives to a message that has none. */
it('the branches at a message are absent when there is one, or it is unknown', () => {
  expect(at('1-a', 'a3')).toBeNull();
  expect(at('3-c', 'c3')).toBeNull();
  expect(at('1-a', 'unknown')).toBeNull();
  expect(at('unknown', 'a1')).toBeNull();
});
