import type { Comparison } from '@shared/comparisons/comparison.ts';
import type { ComparisonRow, Spread } from '@shared/comparisons/comparison-table.ts';
import { comparisonCsv, comparisonMarkdown, comparisonRows } from '@shared/comparisons/comparison-table.ts';
import { money, seconds, tokens } from '../../lib/text/format.ts';
import type { TextKey } from '../../lib/text/translate.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Empty, Section } from '../../ui/layout/facts.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ComparisonCharts } from './comparison-charts.tsx';
import { RunLanes } from './run-lanes.tsx';
import { useComparison } from './use-comparison.ts';
import { WideContent } from '../../ui/layout/wide-content.tsx';

interface ComparisonDetailProps {
  readonly id: string;
  readonly onSession: (sessionId: string) => void;
}

/** One comparison: the figures of each policy, and every run with a link to its session. */
export function ComparisonDetail({ id, onSession }: ComparisonDetailProps) {
  const { comparison, isAtWork, problem, resume, stop } = useComparison(id);
  if (comparison === null) {
    return problem === null ? <Empty>{t('compare.loading')}</Empty> : <Problem text={problem} />;
  }
  const left = comparison.runs.filter((run) => run.state !== 'ended').length;
  const rows = comparisonRows(comparison);
  const lanes = <RunLanes comparison={comparison} onSession={onSession} />;
  const isWeak = comparison.runs.some((run) => run.figures?.passedBefore === true);
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="min-w-0 flex-1 basis-64 wrap-anywhere">{comparison.input.task}</h2>
        <Export comparison={comparison} />
        {isAtWork && <Button onClick={stop}>{t('compare.stop')}</Button>}
        {!isAtWork && left > 0 && <Button onClick={resume}>{t('compare.resume')}</Button>}
      </div>
      {problem !== null && <Problem text={problem} />}
      {!isAtWork && left > 0 && <Notice kind="info">{plural('compare.left', left)}</Notice>}
      {isWeak && <Notice kind="warning">{t('compare.passedBefore')}</Notice>}
      {/* Running lanes come first; once all is done, the result does. */}
      {isAtWork && lanes}
      <ComparisonCharts rows={rows} />
      <Result rows={rows} />
      {!isAtWork && lanes}
    </div>
  );
}

/** The same reports as from `dewpoint compare --out`. */
function Export({ comparison }: { readonly comparison: Comparison }) {
  const name = `comparison-${comparison.id}`;
  const save = (extension: 'md' | 'csv'): void =>
    extension === 'md'
      ? saveText({ name: `${name}.md`, type: 'text/markdown', text: comparisonMarkdown(comparison) })
      : saveText({ name: `${name}.csv`, type: 'text/csv', text: comparisonCsv(comparison) });
  return (
    <div className="flex items-center gap-1 text-xs text-soft">
      {t('compare.report')}
      <CopyButton text={comparisonMarkdown(comparison)} label={t('compare.copy')} />
      <Button look="quiet" size="small" onClick={() => save('md')}>
        {t('compare.saveMarkdown')}
      </Button>
      <Button look="quiet" size="small" onClick={() => save('csv')}>
        {t('compare.saveCsv')}
      </Button>
    </div>
  );
}

const columns: readonly TextKey[] = [
  'compare.solved',
  'compare.time',
  'compare.money',
  'compare.ifCloud',
  'compare.ifHere',
  'compare.steps',
  'compare.local',
  'compare.tokens',
];

function Result({ rows }: { readonly rows: readonly ComparisonRow[] }) {
  const slowest = Math.max(0, ...rows.map((row) => row.seconds?.median ?? 0));
  const dearest = Math.max(0, ...rows.map((row) => row.costUsd?.median ?? 0));
  return (
    <Section title={t('compare.result')}>
      <WideContent>
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b text-soft">
              <th scope="col" className="py-1.5 text-left font-normal">
                {t('compare.policy')}
              </th>
              {columns.map((key) => (
                <th key={key} scope="col" className="py-1.5 pl-4 text-right font-normal whitespace-nowrap">
                  {t(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ResultRow key={row.policy} row={row} slowest={slowest} dearest={dearest} />
            ))}
          </tbody>
        </table>
      </WideContent>
      <p className="mt-2 text-sm text-soft">{t('compare.elsewhere')}</p>
    </Section>
  );
}

interface ResultRowProps {
  readonly row: ComparisonRow;
  /** The largest median of all rows, which a full bar stands for. */
  readonly slowest: number;
  readonly dearest: number;
}

const cell = 'py-1.5 pl-4 text-right align-top tabular-nums whitespace-nowrap';

function ResultRow({ row, slowest, dearest }: ResultRowProps) {
  const judged = row.runs - row.unjudged;
  const { freshInput, cacheRead, cacheWrite, output } = row.tokens;
  const read = (freshInput?.median ?? 0) + (cacheRead?.median ?? 0) + (cacheWrite?.median ?? 0);
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1.5 text-left align-top font-semibold">
        {row.policy}
      </th>
      <td className={cell}>
        {judged === 0 ? '–' : t('compare.solvedOf', { solved: row.solved, runs: judged })}
        {row.unjudged > 0 && (
          <span className="block text-xs text-warn">{plural('compare.unjudged', row.unjudged)}</span>
        )}
      </td>
      <td className={cell}>
        <Median spread={row.seconds} show={(value) => seconds(value * 1000)} most={slowest} bar="bg-line-strong" />
      </td>
      <td className={cell}>
        {row.runs > 0 && row.costUsd === null ? (
          money(null)
        ) : (
          <Median spread={row.costUsd} show={money} most={dearest} bar="bg-cloud" />
        )}
      </td>
      <td className={cell}>
        <Guess guess={row.elsewhere.cloudUsd} show={money} />
      </td>
      <td className={cell}>
        <Guess guess={row.elsewhere.localSeconds} show={(value) => seconds(value * 1000)} />
      </td>
      <td className={cell}>
        <Median spread={row.steps} show={(value) => String(Math.round(value))} most={0} bar="" />
      </td>
      <td className={cell}>{row.localShare === null ? '–' : `${Math.round(row.localShare * 100)}%`}</td>
      <td className={cell}>
        {output === null ? '–' : `${tokens(Math.round(read))} / ${tokens(Math.round(output.median))}`}
      </td>
    </tr>
  );
}

interface GuessProps {
  readonly guess: ComparisonRow['elsewhere']['cloudUsd'];
  readonly show: (value: number) => string;
}

/** An estimate of the same work elsewhere, with its interval. */
function Guess({ guess, show }: GuessProps) {
  if (guess === null) return <>–</>;
  const { value, low, high } = guess;
  return <Median spread={{ median: value, least: low, most: high }} show={show} most={0} bar="" />;
}

interface MedianProps {
  readonly spread: Spread | null;
  readonly show: (value: number) => string;
  readonly most: number;
  readonly bar: string;
}

/** The median, with the range below it if the repeats differ, and a bar to compare policies. */
function Median({ spread, show, most, bar }: MedianProps) {
  if (spread === null) return <>–</>;
  const { median, least, most: largest } = spread;
  return (
    <>
      {show(median)}
      {least !== largest && (
        <span className="block text-xs text-soft">
          {t('compare.range', { least: show(least), most: show(largest) })}
        </span>
      )}
      {most > 0 && median > 0 && (
        <span
          aria-hidden="true"
          className={`mt-0.5 ml-auto block h-1 rounded-full ${bar}`}
          style={{ width: `${Math.max(2, (median / most) * 100)}%` }}
        />
      )}
    </>
  );
}

/** Saves a text as a file. A window asks for the place; a browser follows its settings. */
export function saveText({
  name,
  type,
  text,
}: {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers save nothing if the address is revoked before they begin to read.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
