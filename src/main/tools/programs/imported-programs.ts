import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import type { KeptProgram } from './program-calls.ts';

/**
 * The kept programs that a text imports, and the ones that those import, in the same language. May include more,
 * because a name in any import line is enough.
 */
export function importedBy(
  text: string,
  language: ProgramLanguage,
  kept: readonly Omit<KeptProgram, 'writer'>[],
): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  const texts = [text];
  for (let at = 0; at < texts.length; at += 1) {
    const words = new Set(importLines(texts[at] ?? '').flatMap((line) => line.split(/[^A-Za-z0-9_]+/u)));
    for (const one of kept) {
      if (one.language !== language || found.has(one.name) || !words.has(one.name)) continue;
      found.set(one.name, one.text);
      texts.push(one.text);
    }
  }
  return Object.fromEntries(found);
}

function importLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => /\b(?:import|from)\b/u.test(line));
}
