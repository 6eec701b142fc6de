import { describe, expect, it } from 'vitest';
import { compareAnswers, sumsOfAskedAgain, type AskedAgain } from '../../../src/shared/comparisons/asked-again.ts';

const answer = {
  model: 'a/b',
  tool: null,
  target: null,
  promptTokens: 100,
  outputTokens: 10,
  seconds: 2,
  costUsd: 0.5,
};
const row = (tool: string | null, target: string | null, other: [string | null, string | null]): AskedAgain => {
  const before = { ...answer, tool, target };
  const again = { ...answer, tool: other[0], target: other[1] };
  return {
    step: 1,
    purpose: 'act',
    before,
    again: { type: 'answered', agreement: compareAnswers(before, again), ...again },
  };
};

describe('calls that another model was asked again', () => {
  it('agree on tool and target, on the tool, on words, or on nothing', () => {
    const rows = [
      row('read_file', 'a.py', ['read_file', 'a.py']),
      row('read_file', 'a.py', ['read_file', 'b.py']),
      row('read_file', 'a.py', ['search_files', 'a.py']),
      row('read_file', 'a.py', [null, null]),
      row(null, null, [null, null]),
      row(null, null, ['read_file', 'a.py']),
    ];
    expect(rows.map(({ again }) => (again.type === 'answered' ? again.agreement : null))).toEqual([
      'target',
      'tool',
      'other',
      'other',
      'words',
      'other',
    ]);
    expect(sumsOfAskedAgain([rows])).toMatchObject({ asked: 6, withTool: 4, sameTool: 2, sameTarget: 1 });
  });

  it('are counted on both sides only where both answered', () => {
    const refused: AskedAgain = {
      ...row('read_file', 'a', [null, null]),
      again: { type: 'not-asked', why: 'no', costUsd: 0 },
    };
    const sums = sumsOfAskedAgain([[row('read_file', 'a', ['read_file', 'a']), refused]]);
    expect(sums).toMatchObject({ asked: 1, notAsked: 1, withTool: 1 });
    expect(sums.before).toEqual({ promptTokens: 100, outputTokens: 10, seconds: 2, costUsd: 0.5 });
    expect(sums.again).toEqual(sums.before);
  });

  it('have no sum of money where a price is unknown, and no share where no tool was called', () => {
    const unpriced = row(null, null, [null, null]);
    const sums = sumsOfAskedAgain([[{ ...unpriced, before: { ...unpriced.before, costUsd: null } }]]);
    expect(sums).toMatchObject({ toolShare: null, before: { costUsd: null }, again: { costUsd: 0.5 } });
  });

  it("have Wilson's interval of the share", () => {
    const rows = Array.from({ length: 10 }, (_, at) => row('t', 'x', [at < 8 ? 't' : 'u', 'x']));
    // Newcombe 1998, table I: 8 of 10 gives 0.49 to 0.94.
    const { toolShare } = sumsOfAskedAgain([rows]);
    expect(toolShare?.value).toBe(0.8);
    expect(toolShare?.low).toBeCloseTo(0.4902, 3);
    expect(toolShare?.high).toBeCloseTo(0.9433, 3);
  });

  it('say less in the calls of a few sessions that differ than in as many that do not', () => {
    const calls = (same: number) => Array.from({ length: 10 }, (_, at) => row('t', 'x', [at < same ? 't' : 'u', 'x']));
    const width = (sessions: readonly (readonly AskedAgain[])[]): number => {
      const { toolShare } = sumsOfAskedAgain(sessions);
      return (toolShare?.high ?? 0) - (toolShare?.low ?? 0);
    };
    const alike = [calls(5), calls(5), calls(5), calls(5)];
    expect(width(alike)).toBeCloseTo(width([alike.flat()]));
    expect(width([calls(10), calls(10), calls(0), calls(0)])).toBeGreaterThan(1.5 * width(alike));
    // All the same in four sessions: no more than four tries say.
    expect(sumsOfAskedAgain([calls(10), calls(10), calls(10), calls(10)]).toolShare?.low).toBeCloseTo(0.5101, 3);
  });

  it('count what a try cost that gave no answer', () => {
    const lost = (costUsd: number | null): AskedAgain => ({
      ...row(null, null, [null, null]),
      again: { type: 'not-asked', why: 'it broke off', costUsd },
    });
    expect(sumsOfAskedAgain([[lost(0.25)], [lost(0.5)]]).lostUsd).toBe(0.75);
    expect(sumsOfAskedAgain([[lost(0.25), lost(null)]]).lostUsd).toBeNull();
  });
});
