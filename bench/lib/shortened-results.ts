import { capOutput, capStructured } from '../../src/main/agent/prompt/shorten-output.ts';
import { csvExport, graphIssues, hostedIssues } from '../../tests/fakes/tracker-results.ts';
import type { BenchRow } from './rows.ts';

interface Shape {
  readonly what: string;
  readonly text: string;
  /** For each row, the parts that must be complete for the row to be useful. */
  readonly wanted: readonly (readonly string[])[];
  readonly isValid: (text: string) => boolean;
}

/** A list of issues as its service returns it, with number, title, state and link of each, and two other shapes. */
function shapes(): readonly Shape[] {
  const issues = hostedIssues(60);
  const graph = graphIssues(100);
  const csv = csvExport(400);
  return [
    {
      what: '60 issues of a code host',
      text: JSON.stringify(issues),
      wanted: issues.map(({ number, title, state, html_url }) => [
        `"number":${number},`,
        JSON.stringify(title),
        `"state":"${state}"`,
        JSON.stringify(html_url),
      ]),
      isValid: isJson,
    },
    {
      what: '100 issues over GraphQL',
      text: graph,
      wanted: [...graph.matchAll(/"id":(\d{19}),"identifier":("[^"]+")/gu)].map(([, id, name]) => [
        `"id":${id}`,
        String(name),
      ]),
      isValid: isJson,
    },
    {
      what: '400 rows of CSV',
      text: csv,
      wanted: csv
        .split(/\n(?=\d+,")/u)
        .slice(1)
        .map((row) => [row.slice(0, row.indexOf(',2026') + 11)]),
      isValid: (text) => text.startsWith('id,title,') && (text.split('"').length - 1) % 2 === 0,
    },
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How much of a long list a model sees in usable form, compared with a cut in the middle. */
export function shortenedRows(): readonly BenchRow[] {
  return shapes().flatMap(({ what, text, wanted, isValid }) =>
    [32_768, 8_192].map((window) => {
      const cut = capStructured(text, window, (more) => JSON.stringify(more)).text;
      const body = cut.slice(cut.indexOf('\n') + 1);
      const middle = capOutput(text, window).text;
      return {
        figure: `rows of use of ${what}, window of ${window / 1024}k`,
        value: isValid(body) ? usable(body, wanted) : null,
        unit: '',
        target: null,
        note: `of ${wanted.length}, ${Math.round(Buffer.byteLength(text) / 1000)} kB to ${Math.round(Buffer.byteLength(cut) / 1000)} kB, ${isValid(body) ? 'valid' : 'broken'}; cut in the middle: ${usable(middle, wanted)}, ${isValid(middle) ? 'valid' : 'broken'}`,
      };
    }),
  );
}

function usable(text: string, wanted: readonly (readonly string[])[]): number {
  let found = 0;
  let from = 0;
  for (const parts of wanted) {
    // The parts of a row are close together, and rows follow each other.
    const places = parts.map((part) => text.indexOf(part, from));
    const first = Math.min(...places);
    if (first === -1 || Math.max(...places) - first > 8_000) continue;
    found += 1;
    from = first;
  }
  return found;
}
