import type { TestFailure } from '../../lib/test-output/test-report.ts';

const trailers =
  /^(?:(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cc):|(?:closes|fixes|refs?|see|bug|issue)[ :]*(?:#|https?:))/iu;
/** Words that say what kind of commit it is, or nothing. */
const kindWord =
  /^(?:fix|feat|feature|bug|bugfix|chore|refactor|test|tests|perf|docs?|style|build|ci)(?:\([^)]{0,60}\))?!?:\s*/iu;
const saysNothing =
  /^(?:wip|update|updates|changes|cleanup|clean up|tests?|fix(?:es)?|bump|version|release|merge|revert|initial commit|v?\d)/iu;
const leastWords = 4;

/**
 * What a person would have asked for, from the message of the commit that did it. Null: the message says too little, or
 * so much that it holds the change: a piece of code that only the change brings.
 */
export function requestOfCommit(
  message: string,
  {
    added,
    before,
    tests,
  }: { readonly added: readonly string[]; readonly before: string; readonly tests: readonly string[] },
): string | null {
  const [first = '', ...rest] = withoutMergeLine(message.replaceAll('\r', '').split('\n'));
  const subject = first
    .replace(kindWord, '')
    .replaceAll(/\(?#\d+\)?/gu, '')
    .replaceAll(/https?:\/\/\S+/gu, '')
    .trim();
  const words = wordsIn(subject);
  if (words < leastWords && rest.join('').trim() === '') return null;
  if (saysNothing.test(subject) && words < 2 * leastWords) return null;
  const body = rest
    .filter((line) => !trailers.test(line.trim()) && !/^\s*(?:#|https?:)/u.test(line))
    .join('\n')
    .replaceAll(/https?:\/\/\S+/gu, '')
    .trim()
    .slice(0, 1_500);
  const said = body === '' ? sentence(subject) : `${sentence(subject)}\n\n${body}`;
  if (holdsTheChange(said, added, before)) return null;
  const where = tests.length === 1 ? `The tests in ${tests[0] ?? ''} show` : `The tests in ${tests.join(', ')} show`;
  return `${said}\n\n${where} what is wanted. They fail now. Change the code so that they pass, and leave the tests as they are.`;
}

/** A merge of a pull request names the branch first, and what it does below that. */
function withoutMergeLine(lines: readonly string[]): readonly string[] {
  const [first = '', ...rest] = lines;
  const begin = rest.findIndex((line) => line.trim() !== '');
  return /^merge (?:pull request|branch|remote-tracking branch)\b/iu.test(first) && begin >= 0
    ? rest.slice(begin)
    : lines;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Some scripts have no spaces between words. */
const wordsIn = (text: string): number =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true).length;

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?:]$/u.test(text) ? '' : '.'}`;

const leastCode = 8;

/** Whether the text has a piece of code that the change adds and that was not there before. */
function holdsTheChange(text: string, added: readonly string[], before: string): boolean {
  const words = text.replaceAll(/\s+/gu, ' ');
  const lines = added.map((line) => line.replaceAll(/\s+/gu, ' ').trim()).filter((line) => line.length >= leastCode);
  if (lines.some((line) => words.includes(line))) return true;
  const quoted = text.match(/`[^`\n]{3,200}`/gu) ?? [];
  return quoted.some((one) => {
    const code = one.slice(1, -1);
    return /[^\w\s.]/u.test(code) && !before.includes(code) && added.some((line) => line.includes(code));
  });
}

const mostMessage = 800;

/** What a person would say who sees a test fail. */
export function requestOfFault(
  failures: readonly TestFailure[],
  { command, seed }: { readonly command: string; readonly seed: number },
): string | null {
  const named = failures.filter(({ id }) => id !== 'command');
  const [first] = named.toSorted((left, right) => left.message.length - right.message.length);
  if (first === undefined) return null;
  const others = named.length - 1;
  const more =
    others === 0 ? '' : others === 1 ? ' One more test fails with it.' : ` ${others} more tests fail with it.`;
  const said = first.message.trim() === '' ? '' : `\n\n${indented(first.message.slice(0, mostMessage))}\n`;
  const openings = [
    `The test ${first.id} fails:`,
    `Since the last change, ${first.id} fails:`,
    `Can you find out why ${first.id} fails?`,
  ];
  const opening = openings[seed % openings.length] ?? '';
  return `${said === '' ? opening.replace(/:$/u, '.') : opening}${said}\n${more.trim()}${more === '' ? '' : ' '}Find the cause in the code and fix it. The tests are right. They run with: ${command.trim()}`;
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
