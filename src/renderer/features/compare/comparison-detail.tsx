import type { Comparison } from '@shared/comparisons/comparison.ts';
import type { ComparisonRow, Spread } from '@shared/comparisons/comparison-table.ts';
import {
  comparisonCsv,
  comparisonMarkdown,
  comparisonPage,
  comparisonVerdict,
  reportTables,
  weakChecksText,
} from '@shared/comparisons/comparison-report.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { comparisonRows, percentText } from '@shared/comparisons/comparison-table.ts';
import { seenName, seenText } from '@shared/text/seen-text.ts';
import { seconds, tokens } from '../../lib/text/format.ts';
import { saveText } from '../../lib/text/save-text.ts';
import type { TextKey } from '../../lib/text/translate.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Empty, Section } from '../../ui/layout/facts.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ComparisonCharts } from './comparison-charts.tsx';
import { PairView } from './pair-view.tsx';
import { RunLanes } from './run-lanes.tsx';
import { WayName } from './way-mark.tsx';
import { UseWay } from './use-way.tsx';
import { useComparison } from './use-comparison.ts';
import { WideContent } from '../../ui/layout/wide-content.tsx';

interface ComparisonDetailProps {
  readonly id: string;
  readonly onSession: (sessionId: string) => void;
}

/** One comparison: the figures of each way, the answers beside each other, and every run with a link to its session. */
export function ComparisonDetail({ id, onSession }: ComparisonDetailProps) {
  const { comparison, isAtWork, problem, resume, stop, replace } = useComparison(id);
  const { currency } = useMoney();
  if (comparison === null) {
    return problem === null ? <Empty>{t('compare.loading')}</Empty> : <Problem text={problem} />;
  }
  const left = comparison.runs.filter((run) => run.state !== 'ended').length;
  const rows = comparisonRows(comparison);
  const lanes = <RunLanes comparison={comparison} onSession={onSession} />;
  const verdict = isAtWork ? null : comparisonVerdict(comparison, currency);
  const weak = weakChecksText(comparison);
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="min-w-0 flex-1 basis-64 wrap-anywhere">{titleOf(comparison)}</h2>
        <Export comparison={comparison} />
        {isAtWork && <Button onClick={stop}>{t('compare.stop')}</Button>}
        {!isAtWork && left > 0 && <Button onClick={resume}>{t('compare.resume')}</Button>}
      </div>
      {problem !== null && <Problem text={problem} />}
      {!isAtWork && left > 0 && <Notice kind="info">{plural('compare.left', left)}</Notice>}
      {weak !== null && <Notice kind="warning">{weak}</Notice>}
      {comparison.input.tasks.map(
        ({ name, note }, at) => note !== undefined && <TaskNote key={`${at}`} name={name} note={note} />,
      )}
      {/* Running lanes come first; once all is done, the result does. */}
      {isAtWork && lanes}
      {verdict !== null && <p className="wrap-anywhere">{seenName(verdict)}</p>}
      <ComparisonCharts rows={rows} />
      <Result rows={rows} />
      <OtherTables comparison={comparison} />
      {!isAtWork && <PairView comparison={comparison} onJudged={replace} />}
      {!isAtWork && rows.some(({ runs }) => runs > 0) && <UseWay comparison={comparison} />}
      {!isAtWork && lanes}
    </div>
  );
}

/** How the files that a task began with differ from those before its first message. */
function TaskNote({ name, note }: { readonly name: string; readonly note: string }) {
  return (
    <Notice kind="warning">
      <span className="wrap-anywhere">{t('compare.taskNote', { name: seenName(name), note: seenText(note) })}</span>
    </Notice>
  );
}

function titleOf({ input: { tasks } }: Comparison): string {
  const [first] = tasks;
  return tasks.length === 1 ? seenName(first?.text ?? '') : plural('compare.tasks', tasks.length);
}

/** Each way against the first one, and the tasks of a set. */
function OtherTables({ comparison }: { readonly comparison: Comparison }) {
  const { currency } = useMoney();
  const isWay = (text: string): boolean => comparison.input.ways.some((way) => wayName(way) === text);
  const tables = reportTables(comparison, currency).filter(
    ({ title }) => title === 'Tasks' || title.startsWith('Against '),
  );
  return tables.map(({ title, head, rows, note }) => (
    <Section key={title} title={seenName(title)}>
      <WideContent>
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b text-soft">
              {head.map((text) => (
                <th
                  key={text}
                  scope="col"
                  className={`py-1.5 pr-4 text-left align-bottom font-normal wrap-anywhere ${isWay(text) ? 'min-w-40' : 'min-w-24'}`}
                >
                  {isWay(text) ? <WayName way={text} /> : capital(text)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells) => (
              <tr key={cells[0]} className="border-b border-line last:border-0">
                {cells.map((text, index) => (
                  <td
                    key={head[index]}
                    className={`py-1.5 pr-4 align-top tabular-nums ${index === 0 ? 'min-w-56 wrap-anywhere' : 'whitespace-nowrap'}`}
                  >
                    {isWay(text) ? <WayName way={text} /> : seenName(text)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </WideContent>
      {note !== null && <p className="mt-2 text-sm text-soft">{note}</p>}
    </Section>
  ));
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The same reports as from `dewpoint compare --report`. */
function Export({ comparison }: { readonly comparison: Comparison }) {
  const { currency } = useMoney();
  const name = `comparison-${comparison.id}`;
  const forms = {
    md: comparisonMarkdown,
    csv: comparisonCsv,
    html: comparisonPage,
  } as const;
  const save = (ending: keyof typeof forms): void => {
    saveText(forms[ending](comparison, currency), `${name}.${ending}`);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 text-xs text-soft">
      {t('compare.report')}
      <CopyButton text={comparisonMarkdown(comparison, currency)} label={t('compare.copy')} />
      <Button look="quiet" size="small" onClick={() => save('md')}>
        {t('compare.saveMarkdown')}
      </Button>
      <Button look="quiet" size="small" onClick={() => save('csv')}>
        {t('compare.saveCsv')}
      </Button>
      <Button look="quiet" size="small" onClick={() => save('html')}>
        {t('compare.savePage')}
      </Button>
    </div>
  );
}

const columns: readonly TextKey[] = [
  'compare.solved',
  'compare.preferred',
  'compare.time',
  'compare.money',
  'compare.ifCloud',
  'compare.ifHere',
  'compare.steps',
  'compare.local',
  'compare.tokens',
  'compare.speed',
  'compare.electricity',
  'compare.hardware',
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
              <th scope="col" className="bg-paper py-1.5 text-left font-normal sm:sticky sm:left-0">
                {t('compare.wayName')}
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
              <ResultRow key={row.way} row={row} slowest={slowest} dearest={dearest} />
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
  const { both, write } = useMoney();
  const { freshInput, cacheRead, cacheWrite, output } = row.tokens;
  const read = (freshInput?.median ?? 0) + (cacheRead?.median ?? 0) + (cacheWrite?.median ?? 0);
  return (
    <tr className="border-b border-line last:border-0">
      <th
        scope="row"
        className="min-w-56 bg-paper py-1.5 text-left align-top font-semibold wrap-anywhere sm:sticky sm:left-0"
      >
        <WayName way={row.way} />
      </th>
      <td className={cell}>
        {row.checked === 0 ? '–' : t('compare.solvedOf', { solved: row.solved, runs: row.checked })}
        {row.checked > 1 && row.solvedShare !== null && (
          <span className="block text-xs text-soft">
            {t('compare.range', { least: percentText(row.solvedShare.low), most: percentText(row.solvedShare.high) })}
          </span>
        )}
      </td>
      <td className={cell}>
        {row.preference === null
          ? '–'
          : t('compare.preference', {
              better: row.preference.better,
              even: row.preference.even,
              worse: row.preference.worse,
            })}
        {row.toJudge > 0 && <span className="block text-xs text-warn">{plural('compare.open', row.toJudge)}</span>}
      </td>
      <td className={cell}>
        <Median spread={row.seconds} write={times} most={slowest} bar="bg-line-strong" />
      </td>
      <td className={cell}>
        {row.runs > 0 && row.costUsd === null ? (
          both(null)
        ) : (
          <Median spread={row.costUsd} write={write} most={dearest} bar="bg-cloud" />
        )}
      </td>
      <td className={cell}>
        <Guess guess={row.elsewhere.cloudUsd} write={write} />
      </td>
      <td className={cell}>
        <Guess guess={row.elsewhere.localSeconds} write={times} />
      </td>
      <td className={cell}>
        <Median spread={row.steps} write={counts} most={0} bar="" />
      </td>
      <td className={cell}>{row.localShare === null ? '–' : `${Math.round(row.localShare * 100)}%`}</td>
      <td className={cell}>
        {output === null ? '–' : `${tokens(Math.round(read))} / ${tokens(Math.round(output.median))}`}
      </td>
      <td className={cell}>{row.tokensPerSecond === null ? '–' : row.tokensPerSecond.toFixed(1)}</td>
      <td className={cell}>{row.energyUsd === null ? '–' : both(row.energyUsd)}</td>
      <td className={cell}>{row.hardwareUsd === null ? '–' : both(row.hardwareUsd)}</td>
    </tr>
  );
}

/** Writes a text of figures, each as the function given to it shows one. */
type WriteFigures = (text: (show: (value: number) => string) => string) => string;

const times: WriteFigures = (text) => text((value) => seconds(value * 1000));
const counts: WriteFigures = (text) => text((value) => String(Math.round(value)));

interface GuessProps {
  readonly guess: ComparisonRow['elsewhere']['cloudUsd'];
  readonly write: WriteFigures;
}

/** An estimate of the same work elsewhere, with its interval. */
function Guess({ guess, write }: GuessProps) {
  if (guess === null) return <>–</>;
  const { value, low, high } = guess;
  return <Median spread={{ median: value, least: low, most: high }} write={write} most={0} bar="" />;
}

interface MedianProps {
  readonly spread: Spread | null;
  readonly write: WriteFigures;
  readonly most: number;
  readonly bar: string;
}

/** The median, with the range below it if the repeats differ, and a bar to compare ways. */
function Median({ spread, write, most, bar }: MedianProps) {
  if (spread === null) return <>–</>;
  const { median, least, most: largest } = spread;
  return (
    <>
      {write((show) => show(median))}
      {least !== largest && (
        <span className="block text-xs text-soft">
          {write((show) => t('compare.range', { least: show(least), most: show(largest) }))}
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
