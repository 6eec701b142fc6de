import { describe, expect, it } from 'vitest';
import { createIgnoreRules } from '../../../src/main/sandbox/files/ignore-rules.ts';

/** Catches: an ignore file of a stranger that holds up every list of its project. */
describe('the rules of an ignore file', () => {
  const rulesOf = (text: string) => {
    const rules = createIgnoreRules();
    rules.add('.', text);
    return rules;
  };

  it('hold at any depth that people use', () => {
    const rules = rulesOf('*.log\n!keep.log\n**/build/**/*.o\n/dist/\n');
    expect(['a.log', 'a/b/c.log', 'x/build/y/z.o'].map(rules.ignoresFile)).toEqual([true, true, true]);
    expect(['keep.log', 'a/dist.txt', 'build.o'].map(rules.ignoresFile)).toEqual([false, false, false]);
    expect([rules.ignoresFolder('dist'), rules.ignoresFolder('a/dist')]).toEqual([true, false]);
  });

  it('leave out a line that would take hours, and keep the others', () => {
    const rules = rulesOf(`${'**/a/'.repeat(12)}b\n*.log\n`);
    const deep = `${'a/'.repeat(60)}c`;
    expect(rules.ignoresFile(deep)).toBe(false);
    expect(rules.ignoresFile(`${'a/'.repeat(60)}c.log`)).toBe(true);
  });

  it('say nothing of what is deeper than 64 folders', () => {
    const rules = rulesOf(`${'**/a/'.repeat(4)}b\n`);
    expect(rules.ignoresFile(`${'a/'.repeat(60)}b`)).toBe(true);
    expect(rules.ignoresFile(`${'a/'.repeat(250)}b`)).toBe(false);
  });
});
