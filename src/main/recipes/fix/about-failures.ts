import { passedTests } from '@shared/text/passed-tests.ts';
import { missingProgram } from '@shared/text/missing-program.ts';
import { wantsNetwork } from '../../lib/test-output/wants-network.ts';
import { asksForChange, asksForNewTests, hasLaterOrder, politely } from '@shared/text/task-kind.ts';

/** Words for something that does not work, or for tests. */
const vocabulary =
  /\b(?:tests?|tested|fail\w*|fix\w*|bugs?|broken|breaks?|wrong\w*|incorrect\w*|errors?(?!\s+(?:messages?|texts?|codes?|pages?|handl\w+))|exceptions?|rais(?:e|es|ed)|throws?|crash\w*|repair\w*|correct\w*|pass|passes|passing|debug|green|red|problems?|issues?|should|must|instead|never|always|except|implement\w*|todo|does ?n[o'’]t|do not|don[’']t|is ?n[o'’]t|not|no longer)\b/iu;

const wrong = /\b(?:fail\w*|fix\w*|bugs?|broken|wrong|crash\w*|repair\w*|pass(?:es|ing)?)\b/iu;

/** Whether a task says that something is wrong. Then passing tests may be all that it asks for. */
export function speaksOfFailure(task: string): boolean {
  return wrong.test(task);
}

/** A request for a new definition by name. */
const newName =
  /\b(?:add|create|write|provide)\s+(?:an?|another|one more)\s+(?:[\w/-]+\s+){0,3}?(?:function|method|class|helper|component)\s+(?:called\s+|named\s+)?[`'"]?(?!(?:that|which|for|from|with|into|the)\b)([a-z_$][\w$]{2,})/iu;

/** An order to write a document, which no test reads: "Append a line on usage to README.md". */
const documents = new RegExp(
  String.raw`${politely}(?:write|add|append|update|create|extend|improve|expand|translate|draft|put|change|shorten|rewrite|remove|delete)\s+(?:(?!and\b|that\b|so\b|which\b|with\b)[\w'\u2019./-]+\s+){0,6}?(?:readme|changelog|docs|documentation|docstrings?|release notes|[\w/-]+\.(?:md|rst|adoc))(?:\.\w+)?(?=\s*$|\s*[.,;:!?)]|\s+(?:sections?|entry|entries|files?|for|of|to|in|into|on|about|from|at|as)\b)`,
  'iu',
);

/**
 * Whether a task is, or may be, about what the failing success check prints. "Rename total to sum" is not, in a project
 * where a test of the date parser fails: then that failure does not measure the work, and repairing it is not the task.
 * In doubt the answer is yes. No only for a task that clearly asks for a change, mentions nothing wrong and shares no
 * word with the failure, that asks for a definition by a name that the failure does not contain, or for a document.
 */
export function isAboutFailures(task: string, summary: string): boolean {
  // New tests are run on their own. Earlier failures are another matter.
  if (asksForNewTests(task) && !wrong.test(task)) return false;
  const name = newName.exec(task)?.[1];
  if (name !== undefined && !wrong.test(task)) return summary.toLowerCase().includes(name.toLowerCase());
  if (documents.test(task) && !wrong.test(task) && !hasLaterOrder(task)) return false;
  if (!asksForChange(task) || vocabulary.test(task)) return true;
  if (namesIn(task).some((one) => new RegExp(`(?<![\\w$])${one.replaceAll('$', '\\$')}(?![\\w$])`, 'u').test(summary)))
    return true;
  const files = new Set([...summary.matchAll(file)].flatMap(([, stem = '']) => wordsOf(stem)));
  const failed = new Set(wordsOf(failuresOf(summary)).filter((word) => !files.has(word)));
  return wordsOf(task).some((word) => failed.has(word));
}

/**
 * Whether a check fails for want of a network, which commands do not have, such as one that first installs packages. No
 * change of the project makes it pass, unless the task is about that.
 */
export function needsNetwork(task: string, summary: string): boolean {
  const passed = passedTests(summary) ?? 0;
  return passed === 0 && wantsNetwork(summary) && !/network|offline|download|install|internet|\bDNS\b/iu.test(task);
}

/**
 * Whether a check fails because its program is not in the sandbox, such as `go`. No change of the project makes it pass,
 * unless the task is about that. A task that asks for passing tests is told so, and not called done without them.
 */
export function needsProgram(
  task: string,
  failed: { readonly exitCode: number | null; readonly summary: string },
): boolean {
  const name = missingProgram(failed.exitCode, failed.summary);
  return name !== null && !/\b(?:fail\w*|pass|passes|passing|green|install\w*|not found|scripts?)\b/iu.test(task);
}

const missingModule =
  /No module named '?([\w-]+)|Cannot find (?:module|package) '(@[^/'\s]+\/[^/'\s]+|[^./'\s][^/'\s]*)/gu;

/**
 * Whether a check fails because packages of the project are not installed. No change of the project brings them, unless
 * the task is about them. A task that asks for passing tests is told so, and not called done without them.
 */
export function needsPackage(
  task: string,
  summary: string,
  { sourceFiles, testFiles }: { readonly sourceFiles: readonly string[]; readonly testFiles: readonly string[] },
): boolean {
  if (/\b(?:tests? (?:fail|pass)|fail\w* tests?|green|install\w*)\b/iu.test(task)) return false;
  const names = missingPackages(summary);
  const own = new Set([...sourceFiles, ...testFiles].flatMap((path) => path.replace(/\.\w+$/u, '').split('/')));
  return names.length > 0 && names.every((name) => !own.has(name) && !task.includes(name));
}

/** What a check says that it lacks, if no test of it passed. */
export function missingPackages(summary: string): readonly string[] {
  if ((passedTests(summary) ?? 0) > 0) return [];
  return [...summary.matchAll(missingModule)].map(([, python, javascript]) => python ?? javascript ?? '');
}

/** "Add modulo to the calculator" shares a word with every output of `test_calculator.py`, whatever fails in it. */
const file = /(?<![\w-])([\w-]+)\.(?:[cm]?[jt]sx?|py)\b/gu;

/** Identifiers, which do not appear by chance. */
function namesIn(task: string): readonly string[] {
  const names = task.match(/(?<![\w$])[A-Za-z_$][\w$]*(?![\w$]|\.\w)/gu) ?? [];
  return names.filter((name) => name.length > 3 && /[a-z0-9][A-Z]|[^_]_[^_]|\$/u.test(name));
}

const failure = /^(?:\s*(?:FAILED|FAIL:?|ERROR:?|not ok|✖|×|●|_{3,})\s|E\s|>\s|.*(?:Error|Exception)\b)/u;

/** The names and reasons of failures that the runner marks. Other output is code around them. */
function failuresOf(summary: string): string {
  const lines = summary.split('\n');
  const marked = lines.some((line) => /^\s*(?:FAILED|FAIL:?|not ok|✖|×|●)\s/u.test(line));
  return marked ? lines.filter((line) => failure.test(line)).join('\n') : summary;
}

/** Words and parts of identifiers with four letters or more, in lower case, without those of every test output. */
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
