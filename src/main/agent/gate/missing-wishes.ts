import { asksForChange, wantsTests } from '@shared/text/task-kind.ts';
import { guardKind } from '../../safety/guarded-files.ts';
import type { ChangedText, Finding } from './change-findings.ts';

/** A task that removes or renames something leaves none of its words in the change. */
const takesAway = /\b(?:remove|delete|drop|rename|replace|revert|undo|strip|clean|without|instead)\b/iu;
/** Words of a task that can only be meant literally: an option, or text marked as code. */
const option = /(?<![\w-])--[a-z][\w-]{1,40}/gu;
const marked = /`([A-Za-z_$][\w$]{1,60})(?:\(\))?`|(?<![\w.])([A-Za-z_$][\w$]{2,60})\(\)/gu;
const aboutForm =
  /\b(?:comment|docstring|documentation|docs?|format|formatting|indent|whitespace|white space|style|readme|lint|typo)/iu;

/**
 * What the task explicitly asks for and the change lacks, found without a model: whether the change does anything,
 * whether it names what should be there, and whether there are tests if the task asks for tests. In doubt it reports
 * nothing.
 */
export function missingWishes(task: string, changed: readonly ChangedText[]): readonly Finding[] {
  if (changed.length === 0 || !asksForChange(task)) return [];
  const found: Finding[] = [];
  const say = (code: string, text: string): void => void found.push({ code, path: null, text });
  if (!aboutForm.test(task) && changed.every(doesNothing))
    say('no-op', 'The change does nothing: only white space is other than before.');
  const lacking = takesAway.test(task) ? [] : wordsOf(task).filter((word) => !changed.some((one) => has(one, word)));
  if (lacking.length > 0) say('word-missing', `The task names ${lacking.join(', ')}; no changed file has it.`);
  const hasTests = changed.some(({ path, after }) => after !== null && guardKind(path) === 'test');
  if (wantsTests(task) && !hasTests) say('tests-missing', 'The task asks for tests; no test file was written.');
  return found;
}

export const isWish = ({ code }: Finding): boolean => ['no-op', 'word-missing', 'tests-missing'].includes(code);

function doesNothing({ before, after }: ChangedText): boolean {
  return before !== null && after !== null && squeezed(before) === squeezed(after);
}

/** Ignores blank lines and trailing space. Indentation counts, because it is code in some languages. */
function squeezed(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').join('\n');
}

function wordsOf(task: string): readonly string[] {
  const options = [...task.matchAll(option)].map(([word]) => word);
  const names = [...task.matchAll(marked)].map(([, quoted, called]) => quoted ?? called ?? '');
  return [...new Set([...options, ...names])].filter((word) => word !== '').slice(0, 6);
}

function has({ path, after, before }: ChangedText, word: string): boolean {
  return path.includes(word) || (after ?? before ?? '').includes(word);
}
