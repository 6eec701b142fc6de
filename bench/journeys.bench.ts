import type { Walked } from '../tests/electron/journeys/walk-journeys.ts';
import { walkJourneys } from '../tests/electron/journeys/walk-journeys.ts';
import type { BenchRow } from './lib/rows.ts';

/**
 * Walks the journeys of a newcomer through the built window, with a pointer and by keyboard alone. The models' answers are
 * scripted, so the figures are the window's own.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const walked: Walked[] = [];
  for (const kind of ['pointer', 'keyboard'] as const) {
    for await (const one of walkJourneys({ kind, looks: kind === 'pointer' ? 'all' : 'none' })) walked.push(one);
  }
  return [...summary(walked), ...walked.map(rowOf)];
}

function summary(walked: readonly Walked[]): readonly BenchRow[] {
  const byKeys = walked.filter(({ kind }) => kind === 'keyboard');
  const finished = byKeys.filter(({ deadEnd }) => deadEnd === null);
  const efforts = walked.flatMap(({ effort, name }) => (effort === null ? [] : [{ ...effort, name }]));
  const wrong = efforts.flatMap(({ name, violations }) => violations.map((one) => `${name}: ${one}`));
  const lost = efforts.flatMap(({ name, lost: at }) => at.map((one) => `${name}: ${one}`));
  const stages = walked.reduce((sum, { kind, effort }) => sum + (kind === 'pointer' ? (effort?.stages ?? 0) : 0), 0);
  const ends = walked.flatMap(({ name, kind, deadEnd }) => (deadEnd === null ? [] : [`${name} (${kind}): ${deadEnd}`]));
  const first = efforts.find(({ name }) => name === 'first answer');
  const count = (figure: string, found: readonly string[], note: string): BenchRow => ({
    figure,
    value: found.length,
    unit: '',
    target: { atMost: 0 },
    note: [note, ...found].join('; '),
  });
  return [
    {
      figure: 'journeys finished by keyboard alone',
      value: finished.length,
      unit: '',
      target: { atLeast: byKeys.length },
      note: `of ${byKeys.length}`,
    },
    count('dead ends', ends, `in ${walked.length} walks`),
    count('stages at which the focus is nowhere', lost, `in ${walked.length} walks`),
    count('axe violations', wrong, `${stages} stages, each light, dark and with text at 200 %`),
    {
      figure: 'empty home without a model: clicks to the first answer',
      value: first?.clicks ?? null,
      unit: '',
      target: { atMost: 2 },
      note: 'one for the download, one for a question',
    },
  ];
}

/** The figures of one walk. Its seconds are the waits for the window, from each act to its result. */
function rowOf({ name, kind, effort, deadEnd }: Walked): BenchRow {
  const figure = `${name}, ${kind}: longest wait`;
  if (effort === null) return { figure, value: null, unit: 's', target: { atMost: 1 }, note: deadEnd ?? '' };
  const { clicks, keys, machinery, words, stages, waitedMs, longestMs } = effort;
  const parts = [
    `${clicks} clicks`,
    `${keys} keys`,
    `${words} words at once`,
    `${machinery} words of machinery`,
    `${stages} stages`,
    `waits ${(waitedMs / 1000).toFixed(1)} s in all`,
  ];
  return { figure, value: longestMs / 1000, unit: 's', target: null, note: parts.join(', ') };
}
