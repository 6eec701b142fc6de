import { describe, expect, it } from 'vitest';
import { chosenWaysSchema, kindOfWork, wayForKind } from '../../../src/shared/routing/kind-ways.ts';

describe('the kind of a task', () => {
  it.each([
    ['Fix the failing test in dates.', 'fix'],
    ['The week of 1 January 2026 is wrong. Find out why.', 'fix'],
    ['Rename add() to sum() everywhere.', 'edit'],
    ['Add a command line with unit tests.', 'make'],
    ['Where is the date parsed?', 'answer'],
  ] as const)('of "%s" is %s', (text, kind) => {
    expect(kindOfWork(text, undefined)).toBe(kind);
  });

  it('is an answer where the person chose that the message is a question', () => {
    expect(kindOfWork('Fix it.', 'ask')).toBe('answer');
    expect(kindOfWork('Why does it fail?', 'work')).toBe('fix');
  });
});

describe('the way for a kind of task', () => {
  const ways = chosenWaysSchema.parse({
    everywhere: { fix: { policy: 'cloud' }, edit: { policy: 'hybrid' } },
    projects: { '/p': { fix: { policy: 'local' } } },
  });
  const policyOf = (kind: 'fix' | 'edit' | 'make', projectPath: string | null, hasOwnModels: boolean): string | null =>
    wayForKind(ways, { kind, projectPath, hasOwnModels })?.policy ?? null;

  it('is that of the kind in the project, then the own models of the project, then that of the kind everywhere', () => {
    expect(policyOf('fix', '/p', true)).toBe('local');
    expect(policyOf('edit', '/p', true)).toBe(null);
    expect(policyOf('edit', '/p', false)).toBe('hybrid');
    expect(policyOf('fix', '/other', false)).toBe('cloud');
    expect(policyOf('fix', null, false)).toBe('cloud');
    expect(policyOf('make', '/p', false)).toBe(null);
    expect(policyOf('fix', '__proto__', false)).toBe('cloud');
  });
});
