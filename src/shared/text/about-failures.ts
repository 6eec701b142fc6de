import { asksForChange, asksForNewTests } from './task-kind.ts';

/** Words of somebody who talks about something that does not work, or about tests. */
const vocabulary =
  /\b(?:tests?|tested|fail\w*|fix\w*|bugs?|broken|breaks?|wrong\w*|incorrect\w*|errors?(?!\s+(?:messages?|texts?|codes?|pages?|handl\w+))|exceptions?|rais(?:e|es|ed)|throws?|crash\w*|repair\w*|correct\w*|pass|passes|passing|debug|green|red|problems?|issues?|should|must|instead|never|always|except|implement\w*|todo|does ?n[o'’]t|do not|don[’']t|is ?n[o'’]t|not|no longer)\b/iu;

const wrong = /\b(?:fail\w*|fix\w*|bugs?|broken|wrong|crash\w*|repair\w*|pass(?:es|ing)?)\b/iu;

/** Whether a task says that something is wrong, so that tests that pass may be all of it. */
export function speaksOfFailure(task: string): boolean {
  return wrong.test(task);
}

/** A definition that is asked for by its name. */
const newName =
  /\b(?:add|create|write|provide)\s+(?:an?|another|one more)\s+(?:[\w/-]+\s+){0,3}?(?:function|method|class|helper|component)\s+(?:called\s+|named\s+)?[`'"]?(?!(?:that|which|for|from|with|into|the)\b)([a-z_$][\w$]{2,})/iu;

/**
 * Whether a task is, or may be, about what the failing criterion prints. "Rename total to sum" in a project where a
 * test of the date parser fails is not: then the failure is no measure of the work, and repairing it is not the task.
 * In doubt it is: only a task that asks for a change in so many words, speaks of nothing that is wrong and shares no
 * word with what failed is apart from it; so is one that asks for a definition by a name that what failed does not have.
 */
export function isAboutFailures(task: string, summary: string, conduct = Infinity): boolean {
  // New tests are run by themselves, and what failed before them is another matter.
  if (asksForNewTests(task) && !wrong.test(task)) return false;
  const name = newName.exec(task)?.[1];
  if (name !== undefined && !wrong.test(task)) return summary.toLowerCase().includes(name.toLowerCase());
  if (!asksForChange(task, conduct) || vocabulary.test(task)) return true;
  if (namesIn(task).some((one) => new RegExp(`(?<![\\w$])${one.replaceAll('$', '\\$')}(?![\\w$])`, 'u').test(summary)))
    return true;
  const files = new Set([...summary.matchAll(file)].flatMap(([, stem = '']) => wordsOf(stem)));
  const failed = new Set(wordsOf(failuresOf(summary)).filter((word) => !files.has(word)));
  return wordsOf(task).some((word) => failed.has(word));
}

/** "Add modulo to the calculator" shares a word with every output of `test_calculator.py`, whatever fails in it. */
const file = /(?<![\w-])([\w-]+)\.(?:[cm]?[jt]sx?|py)\b/gu;

/** Names of code, which stand nowhere by chance. */
function namesIn(task: string): readonly string[] {
  const names = task.match(/(?<![\w$])[A-Za-z_$][\w$]*(?![\w$]|\.\w)/gu) ?? [];
  return names.filter((name) => name.length > 3 && /[a-z0-9][A-Z]|[^_]_[^_]|\$/u.test(name));
}

const failure = /^(?:\s*(?:FAILED|FAIL:?|ERROR:?|not ok|✖|×|●|_{3,})\s|E\s|>\s|.*(?:Error|Exception)\b)/u;

/** The names of what failed, and how, where the runner marks them: what else is printed is code around them. */
function failuresOf(summary: string): string {
  const lines = summary.split('\n');
  const marked = lines.some((line) => /^\s*(?:FAILED|FAIL:?|not ok|✖|×|●)\s/u.test(line));
  return marked ? lines.filter((line) => failure.test(line)).join('\n') : summary;
}

/** Parts of names and words of four letters and more, lower case, without those that every output of tests holds. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/\p{L}[\p{L}\p{N}]*/gu) ?? [];
  const parts = words.flatMap((word) => word.split(/(?<=[a-z0-9])(?=[A-Z])/u)).map((part) => part.toLowerCase());
  return parts
    .filter((part) => part.length > 3 && !common.has(part))
    .map((part) => part.replace(/(?:ing|ed|es|s)$/u, ''));
}

const common = new Set(
  'test tests passed failed error errors assert assertion expected actual short summary info collected session starts file line module node python from this that with have into when then than also only name names value values type types code function method class return returns self none true false null undefined object string number write change make create remove rename replace move update'.split(
    ' ',
  ),
);
