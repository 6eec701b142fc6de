import { describe, expect, it } from 'vitest';
import { compileFences, globMatcher } from '../../../src/shared/safety/fences.ts';
import { matchingRule } from '../../../src/shared/routing/route-rules.ts';
import { fenceRules, parseRules, routeRules } from '../../../src/shared/rules/parse-rules.ts';

describe('the rule file', () => {
  it('is read line by line, and an invalid line is named', () => {
    const text = `# mine
local path secrets/**   # keys

cloud task Migration
up always
local purpose walk
local path
redact text a #b|c
redact text (
redact text x*
allow text x
mask path .`;
    const { rules, errors } = parseRules(text, 'your rules');
    expect(rules.map(({ verdict, kind, value, from }) => [verdict, kind, value, from])).toEqual([
      ['local', 'path', 'secrets/**', 'line 2 of your rules'],
      ['cloud', 'task', 'Migration', 'line 4 of your rules'],
      ['redact', 'text', 'a #b|c', 'line 8 of your rules'],
    ]);
    expect(errors.map(({ line }) => line)).toEqual([5, 6, 7, 9, 10, 11, 12]);
  });

  it('is decided by its first matching rule', () => {
    const rules = routeRules(parseRules('local path secrets/**\ncloud task migration\nlocal always', 'mine').rules);
    const subject = { purpose: 'act', task: 'A MIGRATION', paths: ['src/a.ts'] } as const;
    expect(matchingRule(rules, subject)?.where).toBe('cloud');
    expect(matchingRule(rules, { ...subject, paths: ['secrets/key.pem'] })?.where).toBe('local');
    expect(matchingRule(rules, { ...subject, task: 'x' })?.kind).toBe('always');
    expect(matchingRule([], subject)).toBeNull();
  });

  it('of a project never weakens other rules', () => {
    const rules = fenceRules(parseRules('allow path a.md\nask path b.md', 'your rules').rules);
    const projectRules = fenceRules(
      parseRules('redact path .env\nredact path a.md\nredact path b.md\nask path c.md', 'p').rules,
    );
    const isSecretFile = (path: string): boolean => path === '.env';
    const settings = { rules: [...rules], secrets: 'off', projectRules } as const;
    const { ofPath } = compileFences({ settings: { ...settings, rules: [...rules] }, projectPath: null, isSecretFile });
    expect(['.env', 'a.md', 'b.md', 'c.md'].map((path) => ofPath(path)?.verdict)).toEqual([
      'local-only',
      undefined,
      'ask',
      'ask',
    ]);
  });
});

describe('a glob in a rule', () => {
  it.each([
    ['plans', ['plans', 'plans/a', 'x/plans/a/b', 'PLANS/a'], ['plansx', 'x/plan']],
    ['/plans', ['plans/a'], ['x/plans']],
    ['plans/**', ['plans/a', 'plans/a/b'], ['plans', 'x/plans/a']],
    ['a/**/z', ['a/z', 'a/b/c/z', 'a/b/z/below'], ['a', 'z', 'b/a/z']],
    ['**/*.pem', ['k.pem', 'a/b/k.pem'], ['k.pe']],
    ['*.t?t', ['a.txt', 'deep/a.tot'], ['a.tt', 'txt']],
    ['src/*', ['src/a', 'src/a/b'], ['src', 'x/src/a']],
    ['a.b+(c)', ['a.b+(c)'], ['axb+(c)', 'a.bbc']],
    ['**', ['a', 'a/b'], []],
  ])('%s matches as in .gitignore', (glob, fits, others) => {
    const matches = globMatcher(glob);
    expect(fits.filter((path) => !matches(path))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it('made to be slow is matched quickly', () => {
    const matches = globMatcher(`${'**/a*a*a*/'.repeat(30)}z`);
    expect(matches(`${`${'a'.repeat(250)}/`.repeat(60)}y`)).toBe(false);
  });
});
