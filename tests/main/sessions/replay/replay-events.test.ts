import { describe, expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { differingField, withRecordedFields } from '../../../../src/main/sessions/replay/replay-events.ts';

/** A record from before a text was reworded. */
const recorded = (made: NewEvent, text: string): SessionEvent =>
  Object.assign({ ...made, v: 1, seq: 7, at: 12 }, { text });

const notice = (code: string): NewEvent => ({ type: 'notice-added', level: 'warning', code, text: 'New words.' });

const ended = (reason: 'done' | 'gave-up'): NewEvent => ({
  type: 'turn-ended',
  turnId: 'turn-1',
  reason,
  text: 'New words.',
  confidence: null,
  failure: null,
});

describe('a session that was recorded before a text was reworded', () => {
  it.each([
    ['a notice', notice('model-missing')],
    ['the end of a turn that gave up', ended('gave-up')],
  ])('replays %s with the recorded words', (_, made) => {
    const old = recorded(made, 'Old words.');
    expect(differingField(made, old)).toBeNull();
    expect(withRecordedFields(made, old)).toEqual(old);
  });

  it('does not match when the notice is a different one', () => {
    expect(differingField(notice('model-missing'), recorded(notice('model-eased'), 'Old words.'))).toBe('code');
  });

  it('does not match when the answer of a finished turn differs', () => {
    expect(differingField(ended('done'), recorded(ended('done'), 'Another answer.'))).toBe('text');
  });
});

// Catches: sessions of older versions that no longer replay, because their turns do not say which lines were of use.
describe('a session from before the end of a turn named the memory', () => {
  it('replays as it was recorded', () => {
    const old: SessionEvent = Object.assign({ ...ended('done') }, { v: 1, seq: 7, at: 12 });
    const made = { ...ended('done'), memory: ['Be short and kind.'] };
    expect(differingField(made, old)).toBeNull();
    expect(withRecordedFields(made, old)).toEqual(old);
  });
});
