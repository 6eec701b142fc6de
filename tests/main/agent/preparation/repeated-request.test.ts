import { describe, expect, test } from 'vitest';
import { resolveRepeatedRequest } from '../../../../src/main/agent/preparation/read-message.ts';

const said = (...asked: readonly string[]) => asked.map((one) => ({ asked: one, answered: 'Done.' }));

describe('the resolver of repeated requests', () => {
  test.each([
    ['Try again', said('Fix total'), 'Fix total'],
    ['please continue.', said('Fix total', 'Try again'), 'Fix total'],
    ['Go on from here.', said('Fix total'), 'Fix total'],
    ['noch einmal', said('Fix total'), 'Fix total'],
    ['再试一次', said('Fix total'), 'Fix total'],
    ['Do it again, but in French', said('Write a greeting'), 'Write a greeting\nbut in French'],
    // Continues what was said before. That belongs to the conversation, not to a task.
    ['continue', said('What is a closure?'), 'continue'],
    ['again', [], 'again'],
    ['Add a retry to fetch', said('Fix total'), 'Add a retry to fetch'],
    ['Try again after a second when it fails', said('Fix total'), 'Try again after a second when it fails'],
  ])('turns %j after %j into %j', (text, exchanges, meant) => {
    expect(resolveRepeatedRequest(text, exchanges)).toBe(meant);
  });
});
