import type { TaskFeatures } from '../define.ts';

const risky =
  /\b(?:race|deadlock|concurren\w*|thread-?safe\w*|async\w*|security|vulnerab\w*|injection|migrat\w*|architect\w*|redesign|refactor\w*|performance|memory leak)\b/giu;
const rote =
  /\b(?:rename|typos?|comments?|docstrings?|readme|changelog|wording|spelling|format(?:ting)?|lint|imports?)\b/giu;
const trace = /(?:^|\n)[ \t]*(?:Traceback \(most recent|at \S+ \(|File "[^"]+", line \d+|panicked at|E\s{2,}\w+Error)/u;
const paths = /(?:^|[\s`'"(])[\w./-]+\.[a-z]{1,4}(?=$|[\s`'",:;)])/giu;

/** Above this only the beginning counts: a pasted log is not the task. */
const READ_CHARACTERS = 20_000;

/** The task in numbers, from its own words. Weak alone, and cheap. */
export function taskFeatures(
  task: string,
  known: { readonly hasCriterion: boolean; readonly isQuestion: boolean },
): TaskFeatures {
  const text = task.slice(0, READ_CHARACTERS);
  return {
    characters: task.length,
    files: new Set([...text.matchAll(paths)].map((match) => match[0].trim())).size,
    hasTrace: trace.test(text),
    riskyWords: text.match(risky)?.length ?? 0,
    roteWords: text.match(rote)?.length ?? 0,
    ...known,
  };
}
