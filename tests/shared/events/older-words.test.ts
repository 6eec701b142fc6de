import { describe, expect, it } from 'vitest';
import { parseEvent } from '@shared/events/events.ts';
import { withNewWords } from '@shared/events/older-words.ts';

/** Catches: a fact of an older log that is lost because its name changed, and one of today that is changed. */
const stamp = { v: 2, seq: 4, at: 1 };
const tracker = { server: 'tracker', leaves: true, readsFiles: false };

describe('a record with older words', () => {
  it.each([
    ['the check of a turn', 'turn-started', { criterion: null }, { check: null }],
    ['the end of a check', 'criterion-checked', { passed: true }, { type: 'check-ended', passed: true }],
    ['the end of a turn', 'turn-ended', { reason: 'criterion-unmet' }, { reason: 'check-failed' }],
    ['the end of a child', 'child-session-ended', { reason: 'criterion-unmet' }, { reason: 'check-failed' }],
    ['the start of an action', 'tool-started', { tool: 'check_criterion' }, { tool: 'run_check' }],
    ['the end of an action', 'tool-ended', { tool: 'check_criterion' }, { tool: 'run_check' }],
    ['the server of a call', 'tool-started', { foreign: tracker }, { connected: tracker }],
    ['the kind of a question', 'approval-requested', { kind: 'foreign-tool' }, { kind: 'connected-tool' }],
    [
      'the kinds of dropped answers',
      'history-copied',
      { dropped: { 'foreign-tool': 2, web: 1 } },
      { dropped: { 'connected-tool': 2, web: 1 } },
    ],
  ])('has %s in the words of today', (_, type, older, today) => {
    expect(withNewWords({ ...stamp, type, ...older })).toEqual({ ...stamp, type, ...today });
  });

  it('keeps its facts when it is parsed, as from a file that was exported before', () => {
    const call = { toolCallId: 't1', tool: 'create_issue', by: 'model', input: {}, label: 'create_issue' };
    const parsed = parseEvent({ ...stamp, type: 'tool-started', ...call, foreign: tracker });
    expect(parsed).toEqual({ ...stamp, type: 'tool-started', ...call, connected: tracker });
  });

  it('stays as it is when it has the words of today, or is no record', () => {
    for (const record of [
      { ...stamp, type: 'tool-started', connected: tracker, foreign: 'x' },
      { ...stamp, type: 'approval-requested', kind: 'web' },
      { ...stamp, type: 'history-copied', by: 'fork' },
      { ...stamp, type: 'tool-ended', foreign: tracker },
      { ...stamp, type: 'constructor' },
      { foreign: tracker },
      ['tool-started'],
      null,
    ])
      expect(withNewWords(record)).toBe(record);
  });
});
