import { escapeHtml } from '@shared/text/escape-html.ts';
import type { CalibrationView } from '@shared/calibration/calibration.ts';
import type { Currency } from '@shared/money/currency.ts';
import type { MonthReport, SolvedRow } from '@shared/calibration/calibration-report.ts';
import { solvedRows } from '@shared/calibration/calibration-report.ts';
import {
  currencyNotes,
  models,
  monthLines,
  solvedCells,
  solvedHead,
  taskCells,
  unknownNotes,
} from '@shared/calibration/calibration-text.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:1rem 0;font-size:14px}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
svg{max-width:100%;height:auto}svg text{font:13px system-ui,sans-serif;fill:currentColor}.bar{fill:#3b6ea8}.cloud{fill:#a8643b}.axis{stroke:#bbb}.whisker{stroke:currentColor;stroke-width:2}
@media (prefers-color-scheme:dark){body{color:#eee;background:#1c1c1c}th,td{border-color:#444}.axis{stroke:#555}}`;

/** The report as one page without scripts, which loads nothing. */
export function calibrationHtml(view: CalibrationView, month: MonthReport | null, currency: Currency | null): string {
  const rows = solvedRows(view);
  const list = (lines: readonly string[]): string =>
    `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`;
  const body = [
    '<h1>What a model is worth in this repository</h1>',
    rows.length === 0 ? '<p>No model has worked yet.</p>' : plotOf(rows),
    table(
      solvedHead,
      rows.map((row) => solvedCells(row, currency)),
    ),
    ...(month === null ? [] : ['<h2>A month of your work</h2>', list(monthLines(month, currency))]),
    ...currencyNotes(currency).map((note) => `<p>${escapeHtml(note)}</p>`),
    '<h2>What this does not say</h2>',
    list(unknownNotes(view)),
    '<h2>Tasks</h2>',
    table(
      ['task', 'kind', 'size', 'what', ...models(view)],
      view.tasks.map((task) => taskCells(view, task)),
    ),
    '<h2>Candidates that were left out</h2>',
    table(
      ['why', 'number'],
      Object.entries(view.dropped).map(([why, count]) => [why, String(count)]),
    ),
  ];
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Calibration</title><style>${style}</style></head><body>\n${body.join('\n')}\n</body></html>\n`;
}

const rowHeight = 26;
const labelWidth = 300;
const plotWidth = 420;

/** A bar for each row, with its interval as a line. */
function plotOf(rows: readonly SolvedRow[]): string {
  const height = rows.length * rowHeight + 30;
  const x = (share: number): number => labelWidth + Math.round(share * plotWidth);
  const marks = rows.map((row, at) => {
    const y = at * rowHeight + 6;
    const middle = y + 8;
    const label = `${row.model.split('/').at(-1) ?? row.model}, ${row.of}`.slice(0, 44);
    if (row.judged === 0) return `<text x="0" y="${y + 13}">${escapeHtml(label)}: unknown</text>`;
    const share = row.solved / row.judged;
    const bar = `<rect class="${row.where === 'local' ? 'bar' : 'cloud'}" x="${x(0)}" y="${y}" width="${Math.max(1, x(share) - x(0))}" height="16"/>`;
    const line = `<line class="whisker" x1="${x(row.low)}" x2="${x(row.high)}" y1="${middle}" y2="${middle}"/>`;
    const figure = `<text x="${x(1) + 10}" y="${y + 13}">${row.solved} of ${row.judged}</text>`;
    return `<text x="0" y="${y + 13}">${escapeHtml(label)}</text>${bar}${line}${figure}`;
  });
  const axis = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="axis" x1="${x(share)}" x2="${x(share)}" y1="0" y2="${height - 24}"/><text x="${x(share)}" y="${height - 6}" text-anchor="middle">${share * 100} %</text>`,
  );
  const about = 'Share of tasks solved by each model, with 95 % intervals. The table below has the same figures.';
  return `<svg viewBox="0 0 ${labelWidth + plotWidth + 110} ${height}" role="img" aria-label="${about}">${axis.join('')}${marks.join('')}</svg>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table>`;
}
