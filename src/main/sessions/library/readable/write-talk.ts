import { moneyText } from '@shared/money/money-text.ts';
import { escapeHtml } from '@shared/text/escape-html.ts';
import { seenLines } from '@shared/text/seen-text.ts';
import type { TalkCall } from './follow-calls.ts';
import { proseHtml, type DrawFormula } from './prose-html.ts';
import type { TalkFile, TalkItem } from './read-talk.ts';

/** A session as a person reads it. */
export interface Talk {
  readonly title: string;
  /** Other branches of it, which are left out. */
  readonly branches: number;
  readonly items: readonly TalkItem[];
  readonly changes: readonly TalkChange[];
}

export interface TalkChange {
  readonly path: string;
  /** Unified; null: there is none to show, and why. */
  readonly diff: string | null;
  readonly note: string | null;
}

const name = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/** The talk as Markdown: messages, answers, one line for each call, and the changes. */
export function talkAsMarkdown({ title, branches, items, changes }: Talk): string {
  const parts = items.map(markdownOf);
  const files = changes.map(
    ({ path, diff, note }) => `### ${name(path)}\n\n${diff === null ? (note ?? '') : fenced(diff, 'diff')}`,
  );
  const changed = files.length === 0 ? [] : ['## Changes', ...files];
  return `${[`# ${name(title) || 'Session'}`, othersText(branches), ...parts, ...changed, totalOf(items)].filter((one) => one !== '').join('\n\n')}\n`;
}

/** Empty when there are none. */
function othersText(branches: number): string {
  if (branches === 0) return '';
  return `*This is one branch of the talk. ${branches === 1 ? 'Another branch is' : `${branches} other branches are`} not in this file.*`;
}

function markdownOf(item: TalkItem): string {
  switch (item.type) {
    case 'message': {
      const files =
        item.files.length === 0 ? '' : `\n\nAttached: ${item.files.map((file) => name(file.name)).join(', ')}`;
      return `## You, ${timeOf(item.at)}\n\n${item.text}${files}`;
    }
    case 'words':
      return item.text;
    case 'set-aside':
      return `*${asideText(item)}*`;
    case 'call':
      return `- ${name(item.call.label)} (${callFacts(item.call)})`;
    case 'check':
      return `- Check \`${name(item.command)}\`: ${item.passed ? 'passed' : 'failed'}`;
    case 'end':
      return [item.text, item.failure ?? '', memoryMarkdown(item.memory), `*${endFacts(item)}*`]
        .filter((one) => one !== '')
        .join('\n\n');
    default:
      return item satisfies never;
  }
}

/** Empty when no line was of use. */
function memoryMarkdown(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `From memory:\n\n${lines.map((line) => `- ${name(line)}`).join('\n')}`;
}

/** A fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function callFacts({ status, exitCode, durationMs }: TalkCall): string {
  const exit = exitCode === null ? '' : `, exit code ${exitCode}`;
  const took = durationMs === null ? '' : `, ${(durationMs / 1000).toFixed(1)} s`;
  return `${status}${exit}${took}`;
}

function endFacts({ reason, seconds, costUsd, models }: Extract<TalkItem, { type: 'end' }>): string {
  const used = models.length === 0 ? '' : ` · ${models.join(', ')}`;
  return `${reason} · ${Math.round(seconds)} s · ${costText(costUsd)}${used}`;
}

function asideText({ tasks, costUsd }: Extract<TalkItem, { type: 'set-aside' }>): string {
  return `${tasks === 1 ? 'A task was' : `${tasks} tasks were`} taken back by a restore · ${costText(costUsd)}`;
}

function costText(costUsd: number | null): string {
  if (costUsd === null) return 'cost unknown';
  return costUsd === 0 ? 'no cost' : moneyText(costUsd);
}

function totalOf(items: readonly TalkItem[]): string {
  const costs = items.flatMap((item) => (item.type === 'end' || item.type === 'set-aside' ? [item.costUsd] : []));
  if (costs.length < 2) return '';
  const known = costs.filter((cost) => cost !== null).reduce((sum, cost) => sum + cost, 0);
  return `*Together: ${costs.includes(null) ? `at least ${costText(known)}` : costText(known)}*`;
}

/** `sha256` to the address of the bytes in the page itself. */
type Pictures = ReadonlyMap<string, string>;

interface PageMeans {
  readonly pictures: Pictures;
  readonly draw: DrawFormula;
}

/**
 * The talk as one page without scripts, which loads nothing, in pieces that each take little time. Print it for a PDF.
 */
export function* talkAsPage({ title, branches, items, changes }: Talk, means: PageMeans): Generator<string> {
  const heading = escaped(name(title) || 'Session');
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${heading}</title><style>${style}</style></head>
<body><h1>${heading}</h1>
${branches === 0 ? '' : `<p class="facts">${othersText(branches).replaceAll('*', '')}</p>`}
`;
  for (const [at, item] of items.entries()) {
    yield* pageOf(item, `a${at}`, means);
    yield '\n';
  }
  if (changes.length > 0) yield '<h2>Changes</h2>';
  for (const { path, diff, note } of changes)
    yield `<details open><summary>${escaped(path)}</summary>${diff === null ? `<p>${escaped(note ?? '')}</p>` : diffOf(diff)}</details>\n`;
  yield `<p class="facts">${escaped(totalOf(items).replaceAll('*', ''))}</p></body></html>\n`;
}

/** `id`: of this part of the page. */
function* pageOf(item: TalkItem, id: string, { pictures, draw }: PageMeans): Generator<string> {
  switch (item.type) {
    case 'message': {
      const names = item.files.map((file) => name(file.name)).join(', ');
      const files = names === '' ? '' : `<p class="facts">Attached: ${escaped(names)}</p>`;
      const shown = item.files.map((file) => pictureOf(file, pictures)).join('');
      return yield `<section class="you"><h2>You <small>${timeOf(item.at)}</small></h2>${typedOf(item.text)}${shown}${files}</section>`;
    }
    case 'words':
      yield '<div class="answer">';
      yield* proseHtml(item.text, id, draw);
      return yield '</div>';
    case 'set-aside':
      return yield `<p class="facts">${escaped(asideText(item))}</p>`;
    case 'call': {
      const { label, input, output } = item.call;
      const body = `${JSON.stringify(input, null, 2)}\n\n${output}`;
      return yield `<details><summary>${escaped(label)} <small>${escaped(callFacts(item.call))}</small></summary><pre>${escaped(body)}</pre></details>`;
    }
    case 'check':
      return yield `<details><summary>Check ${escaped(item.command)} <small>${item.passed ? 'passed' : 'failed'}</small></summary><pre>${escaped(item.summary)}</pre></details>`;
    case 'end': {
      const failure = item.failure === null ? '' : `<p class="failure">${escaped(item.failure)}</p>`;
      yield '<div class="answer">';
      yield* proseHtml(item.text, id, draw);
      return yield `${failure}${memoryOf(item.memory)}<p class="facts">${escaped(endFacts(item))}</p></div>`;
    }
    default:
      return item satisfies never;
  }
}

function memoryOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `<li>${escaped(name(line))}</li>`).join('');
  return shown === '' ? '' : `<div class="facts">From memory<ul>${shown}</ul></div>`;
}

function pictureOf({ name: called, picture }: TalkFile, pictures: Pictures): string {
  const address = picture === null ? undefined : pictures.get(picture.blob.sha256);
  return address === undefined ? '' : `<img alt="${escaped(name(called))}" src="${address}">`;
}

/** What the person typed, as it was typed, with code blocks set apart. */
function typedOf(text: string): string {
  const parts = text.split(/^```.*$/mu);
  return parts
    .map((part, at) => (at % 2 === 1 ? `<pre>${escaped(part.trim())}</pre>` : `<p>${escaped(part.trim())}</p>`))
    .filter((part) => part !== '<p></p>')
    .join('');
}

function diffOf(diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const marked = lines.map((line) => {
    const kind = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : null;
    return kind === null ? escaped(line) : `<${kind}>${escaped(line)}</${kind}>`;
  });
  return `<pre class="diff">${marked.join('\n')}</pre>`;
}

function escaped(text: string): string {
  return escapeHtml(seenLines(text));
}

const style = `:root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}
h2{font-size:1.05rem;margin-top:2rem}small,.facts{color:GrayText;font-weight:normal;font-size:.85rem}
.you{border-top:1px solid color-mix(in srgb,CanvasText 20%,Canvas)}p{white-space:pre-wrap;overflow-wrap:anywhere}
img{max-width:100%;max-height:24rem;border-radius:.5rem}.sr-only{display:none}
.answer :is(h1,h2,h3,h4,h5,h6){font-size:1.1rem;margin:1.25rem 0 .5rem}.answer h1{font-size:1.3rem}.answer li>p{margin:.25rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid color-mix(in srgb,CanvasText 20%,Canvas);padding:.3rem .6rem;vertical-align:top}
blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid color-mix(in srgb,CanvasText 20%,Canvas)}a{color:inherit}
code{font:.875em ui-monospace,monospace;overflow-wrap:anywhere}pre code{font:inherit}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace;padding:.75rem;border-radius:.5rem;background:color-mix(in srgb,CanvasText 6%,Canvas)}
ins{text-decoration:none;background:color-mix(in srgb,green 18%,Canvas)}del{text-decoration:none;background:color-mix(in srgb,red 18%,Canvas)}
.failure{border-left:3px solid red;padding-left:.75rem}summary{cursor:pointer}summary{padding:.1rem 0}
@media print{body{margin:0 auto}details:not([open])>summary{list-style:none}h1,h2,h3,summary{break-after:avoid}img,table,tr{break-inside:avoid}.wide{overflow:visible}}`;
