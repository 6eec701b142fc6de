import { describe, expect, it } from 'vitest';
import type { HostileRow } from './hostile-row.ts';
import { describeRow, isGood, judgeRow, type RowFacts } from './judge-row.ts';

const gitRow: HostileRow = { id: 'a', subject: 's', what: 'W.', everyday: 'git', plant: 'plant it' };
const nextRow: HostileRow = { ...gitRow, everyday: 'nothing', places: ['Makefile'] };
const nothing = { everyday: null, choice: null };
const everyday = { everyday: 'git status', choice: null };
const choice = { everyday: null, choice: 'make' };
const facts: RowFacts = {
  bare: everyday,
  held: nothing,
  seen: { runsLater: [], said: [] },
  left: [],
  problem: null,
  output: '',
};
const resultOf = (row: HostileRow, some: Partial<RowFacts>): string => judgeRow(row, { ...facts, ...some }).result;
const listed = { runsLater: ['Makefile'], said: [] };

describe('the judgment of a row', () => {
  it('is blocked when the row runs without Dewpoint and not with it', () => {
    expect(resultOf(gitRow, {})).toBe('blocked');
  });

  it('is missed when an everyday command runs it, even if it was shown', () => {
    const seen = { runsLater: ['lib/dep/.git'], said: ['lib/dep/.git'] };
    expect(resultOf({ ...gitRow, places: ['lib/dep/.git'] }, { held: everyday, seen })).toBe('missed');
  });

  it('is shown when the person’s own configuration or choice runs it and they were told', () => {
    const own: HostileRow = { ...gitRow, isOwnChoice: true, places: ['tools/watch'] };
    expect(resultOf(own, { held: everyday, seen: { runsLater: [], said: ['tools/watch was changed'] } })).toBe('shown');
    expect(resultOf(nextRow, { bare: choice, held: choice, seen: listed })).toBe('shown');
  });

  it('is missed when it runs and not every place was shown', () => {
    expect(resultOf(nextRow, { bare: choice, held: choice })).toBe('missed');
    const two = { ...nextRow, places: ['Makefile', '.envrc'] };
    expect(resultOf(two, { bare: choice, held: choice, seen: listed })).toBe('missed');
    expect(resultOf({ ...gitRow, person: 'x' }, { bare: choice, held: choice, seen: listed })).toBe('missed');
  });

  it('is neither when it lies there unshown, or when the session did not do its work', () => {
    expect(resultOf(nextRow, { bare: choice, left: ['Makefile'] })).toBe('neither');
    expect(resultOf(nextRow, { bare: choice, left: ['Makefile'], seen: listed })).toBe('blocked');
    expect(resultOf(gitRow, { problem: 'no engine' })).toBe('neither');
  });

  it('is inert when nothing runs it without Dewpoint, which is good only where its data say so', () => {
    const judged = judgeRow({ ...gitRow, minGit: '2.42' }, { ...facts, bare: nothing });
    expect(judged.result).toBe('inert');
    expect([isGood(judged, '2.39.5'), isGood(judged, '2.42.0'), isGood(judged, '2.53.1')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isGood(judgeRow({ ...gitRow, inert: 'why' }, { ...facts, bare: nothing }), '2.39.5')).toBe(true);
    expect(isGood(judgeRow({ ...gitRow, inert: 'why' }, { ...facts, held: everyday }), '2.39.5')).toBe(false);
  });

  it('says in its message what was planted, what ran and what could be seen', () => {
    const text = describeRow(
      judgeRow(nextRow, { ...facts, bare: choice, held: choice, seen: { ...listed, runsLater: ['x'] } }),
    );
    for (const part of [
      'a: missed. W.',
      'plant it',
      'make',
      'Makefile',
      'under "runs later": x',
      'said aloud: nothing',
    ])
      expect(text).toContain(part);
  });
});
