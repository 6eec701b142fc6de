import { describe, expect, it } from 'vitest';
import { parseAssistant } from '../../../../src/shared/session/assistants.ts';
import {
  copyOf,
  draftOf,
  draftOfFile,
  fileOfDraft,
  keptDraft,
  newDraft,
  problemsOf,
} from '../../../../src/renderer/features/assistants/assistant-draft.ts';

const good = draftOf({ name: 'reviewer', text: 'You review.' });
const withLines = (lines: Partial<typeof good.lines>) => ({ ...good, lines: { ...good.lines, ...lines } });

/** Catches: a field that accepts what the file then refuses, and one that refuses what the file would accept. */
describe('a problem in the fields of an assistant', () => {
  it.each([
    ['name', { ...good, name: 'Reviewer 2' }],
    ['name', { ...good, name: 'taken' }],
    ['text', { ...good, text: ' \n' }],
    ['text', { ...good, text: 'x'.repeat(8_001) }],
    ['about', withLines({ about: 'x'.repeat(201) })],
    ['about', withLines({ about: 'two\nlines' })],
    ['mode', withLines({ tools: 'off', mode: 'work' })],
    ['temperature', withLines({ temperature: 'warm' })],
    ['temperature', withLines({ temperature: '2.5' })],
    ['top-p', withLines({ 'top-p': '90%' })],
    ['max-tokens', withLines({ 'max-tokens': '1e9' })],
  ] as const)('is shown at the field %s, %#', (field, draft) => {
    expect(Object.keys(problemsOf(draft, ['taken']))).toEqual([field]);
    if (draft.name === 'reviewer' && field !== 'text' && field !== 'about')
      expect(parseAssistant(draft.name, fileOfDraft(draft)).ok).toBe(false);
  });

  it('is absent when the file is good', () => {
    const whole = withLines({
      about: 'Reviews.',
      model: 'a/b',
      mode: 'ask',
      tools: 'off',
      temperature: '0.7',
      'top-p': '1',
      'max-tokens': '400',
    });
    expect(problemsOf(whole, ['other'])).toEqual({});
    expect(parseAssistant('reviewer', fileOfDraft(whole)).ok).toBe(true);
  });
});

describe('an assistant from elsewhere', () => {
  /** Catches: a shared file that is saved before the user read it, or is taken in part. */
  it('becomes a new one with the name of its file, or is refused', () => {
    const file = '---\nmode: plan\n---\nPlan well.';
    expect(draftOfFile('Planner.md', file)).toMatchObject({ saved: null, name: 'planner', text: 'Plan well.' });
    // The field corrects the name.
    expect(draftOfFile('My planner (1).md', file)).toMatchObject({ name: 'my planner (1)' });
    expect(draftOfFile('bad.md', '---\napprove: allow\n---\nText.')).toContain('approve: allow');
  });

  it('gets a free name', () => {
    expect(copyOf(good, ['reviewer', 'reviewer-2'])).toMatchObject({ saved: null, name: 'reviewer-3' });
    const long = { ...good, name: 'a'.repeat(40) };
    expect(problemsOf(copyOf(long, [long.name]), [long.name])).toEqual({});
  });
});

/** Catches: a draft from another version, or a broken one, that empties the view. */
it('a kept draft of an assistant is read back, and nothing else is', () => {
  const kept = { ...withLines({ temperature: 'warm' }), saved: 'reviewer' };
  expect(keptDraft(JSON.stringify(kept))).toEqual(kept);
  for (const other of [null, '', '{', '[]', '{"name":"x"}', '{"name":1,"text":2}']) expect(keptDraft(other)).toBeNull();
  expect(keptDraft('{"name":"x","text":"y","lines":7}')).toEqual({ ...newDraft, name: 'x', text: 'y' });
});
