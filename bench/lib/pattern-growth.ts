import { findPatterns } from './found-patterns.ts';
import type { FoundPattern, PatternUse } from './found-patterns.ts';
import { measureGrowth } from './growth.ts';
import type { Growth, Run } from './growth.ts';
import { attacksOn } from './pattern-attacks.ts';

export function measurePatterns(root: string): readonly { pattern: FoundPattern; growth: Growth | null }[] {
  return findPatterns(root).map((pattern) => ({ pattern, growth: measurePattern(pattern) }));
}

export function measurePattern({ source, flags, use }: FoundPattern): Growth | null {
  return measureGrowth(runOf(source, flags, use), attacksOn(source, flags));
}

function runOf(source: string, flags: string, use: PatternUse): Run {
  if (use === 'once') {
    const once = new RegExp(source, flags);
    return (text) => once.test(text);
  }
  if (use === 'all') {
    const all = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
    return (text) => text.replaceAll(all, '');
  }
  const each = new RegExp(source, flags);
  return (text) => {
    for (let at = 0; at < text.length; at = Math.max(at + 1, each.lastIndex)) {
      each.lastIndex = at;
      each.test(text);
    }
  };
}
