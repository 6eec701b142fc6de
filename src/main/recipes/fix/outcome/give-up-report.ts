import type { Judge } from '../judge/judge-candidate.ts';
import type { SearchResult } from '../search/search-result.ts';

const maxCharacters = 6_000;

const maxListed = 3;

/** For people: what fails, where it most likely lies, and that it stays as it was. */
export function giveUpReason({ tried, failureContext }: SearchResult, judge: Judge): string {
  const { report, output } = judge.baseline();
  const { failures } = report;
  const last = output.trim().split('\n').slice(-3);
  const fails = failures.slice(0, maxListed).map(({ id, message }) => `- ${id}: ${firstLines(message)}`);
  const more = failures.length > maxListed ? [`- and ${failures.length - maxListed} more`] : [];
  const places = failureContext.suspects
    .slice(0, maxListed)
    .map(({ span }) => `${span.name} in ${span.path}:${span.startLine}`)
    .join(', ');
  const said =
    tried.length > 0
      ? `None of ${tried.length} changes that were tried made the tests pass. Nothing was changed.`
      : 'Nothing could be tried: what fails leads to no code of this project. Nothing was changed.';
  return [
    said,
    'It fails with:',
    ...(fails.length === 0 ? last : [...fails, ...more]),
    ...(places === '' ? [] : [`The likeliest places: ${places}.`]),
  ].join('\n');
}

/** What was got and wanted stands in the lines under the first. */
const firstLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 4)
    .join(' ')
    .slice(0, 200);

/** What the next stage should know, within 2,000 tokens: failures, suspects, what was tried. */
export function giveUpFacts(result: SearchResult, judge: Judge): string {
  const { failures } = judge.baseline().report;
  const lines = [
    'Failing tests:',
    ...failures.slice(0, 5).map((failure) => `- ${failure.id}: ${failure.message.slice(0, 300)}`),
    'Suspects, the likeliest first:',
    ...result.failureContext.suspects.map(
      (suspect) =>
        `- ${suspect.span.name} in ${suspect.span.path}:${suspect.span.startLine} (${suspect.reasons.join(', ')})`,
    ),
    ...result.failureContext.insertions.map(
      (insertion) => `- ${insertion.name} is used by the tests and missing in ${insertion.path}`,
    ),
    `Tried without success (${result.tried.length}):`,
    ...summary(result),
  ];
  return lines.join('\n').slice(0, maxCharacters);
}

function summary(result: SearchResult): string[] {
  const byResult = new Map<string, number>();
  for (const one of result.tried) byResult.set(one.result, (byResult.get(one.result) ?? 0) + 1);
  const counts = [...byResult.entries()].map(([name, count]) => `${count} ${name}`).join(', ');
  const nearest = result.tried.filter((one) => one.result === 'moved' || one.result === 'broken').slice(0, 6);
  return [`- ${counts}`, ...nearest.map((one) => `- ${one.label}: ${one.result}`)];
}
