import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDataFolders } from '../../../src/main/lib/files/data-folders.ts';
import { partsThatFit } from '../../../src/main/recipes/answer/answer-question.ts';
import { findSpans } from '../../../src/main/recipes/code/code-spans.ts';
import { loadSyntax } from '../../../src/main/recipes/code/code-syntax.ts';
import { readChunks, type ReadableProject } from '../../../src/main/recipes/context/read-project-chunks.ts';
import type { RecipeSymbols } from '../../../src/main/recipes/define.ts';
import { rankDefinitions } from '../../../src/main/symbols/rank/rank-definitions.ts';
import { symbolFileOf } from '../../../src/main/symbols/rank/symbol-file.ts';
import { tagExtractor } from '../../../src/main/symbols/tags/extract-tags.ts';
import { filesBelow } from '../files-below.ts';
import { fetchPlanted } from '../planted.ts';
import type { BenchRow } from '../rows.ts';
import { seeded } from '../seeded.ts';

/** Nothing was ever chosen by the results of the held one. */
const packages = [
  {
    split: 'development',
    name: 'networkx',
    version: '3.6.1',
    sha256: '26b7c357accc0c8cde558ad486283728b65b6a95d85ee1cd66bafab4c8168509',
  },
  {
    split: 'held',
    name: 'django',
    version: '5.2.8',
    sha256: '23254866a5bb9a2cfa6004e8b809ec6246eba4b58a7589bc2772f1bcc8456c7f',
  },
] as const;

const asked = 150;
const notOwn = /(^|\/)(tests?|docs?|examples?)\/|(^|\/)test_[^/]*$/;

interface AskedFunction {
  readonly path: string;
  readonly line: number;
  readonly question: string;
}

/**
 * How often the small model that answers a question is shown the function that the question describes. The questions
 * are the first sentences of functions' own descriptions, which are taken out of the sources before. Needs no sandbox
 * and no model, and downloads each package once.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { split, name, version, sha256 } of packages) {
    console.error(`${name} …`);
    const cacheFolder = join(findDataFolders(process.env, process.platform).cache, 'bench');
    const source = { ecosystem: 'pypi', package: name, version, sha256 } as const;
    const folder = await fetchPlanted({ id: name, source }, cacheFolder, signal);
    const { texts, functions } = await undescribed(folder);
    const chosen = someOf(functions);
    const without = await shownOf(chosen, projectOf(texts, null), signal);
    const withNames = await shownOf(chosen, projectOf(texts, await symbolsOf(texts)), signal);
    const about = `${split} half (${name} ${version}, ${texts.size} files): described function is shown`;
    const note = `of ${chosen.length} questions`;
    const percent = (count: number): number => (100 * count) / chosen.length;
    rows.push(
      { figure: `${about}, by its words alone`, value: percent(without), unit: '%', target: null, note },
      { figure: `${about}, by the index of names, too`, value: percent(withNames), unit: '%', target: null, note },
    );
  }
  return rows;
}

/** The sources without the descriptions of functions, and what these said. */
async function undescribed(
  folder: string,
): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly functions: readonly AskedFunction[] }> {
  const syntax = await loadSyntax();
  const texts = new Map<string, string>();
  const functions: AskedFunction[] = [];
  for (const path of [...(await filesBelow(folder))].sort()) {
    if (!path.endsWith('.py') || notOwn.test(path)) continue;
    const text = await readFile(join(folder, path), 'utf8');
    const lines = text.split('\n');
    for (const span of findSpans(syntax, { path, language: 'python', text })) {
      if (span.kind !== 'function' && span.kind !== 'method') continue;
      const head = lines.slice(span.startLine - 1, span.headEndLine);
      const found = /^[ \t]*[rR]?("""|''')([\s\S]*?)\1/mu.exec(head.join('\n'));
      if (found === null) continue;
      const before = head.join('\n').slice(0, found.index).split('\n').length - 1;
      const from = span.startLine - 1 + before;
      lines.fill('', from, from + found[0].split('\n').length);
      const said = (found[2] ?? '').trim().split(/(?<=\.)\s|\n\n/u, 1)[0] ?? '';
      const sentence = said.replaceAll(/\s+/gu, ' ');
      const isLong = span.endLine - span.headEndLine >= 4 && sentence.split(' ').length >= 6;
      if (isLong && !span.shortName.startsWith('__'))
        functions.push({ path, line: span.startLine, question: `Which function does this: ${sentence}` });
    }
    texts.set(path, lines.join('\n'));
  }
  return { texts, functions };
}

function someOf(functions: readonly AskedFunction[]): readonly AskedFunction[] {
  const random = seeded(7);
  return functions
    .map((one) => ({ one, at: random() }))
    .sort((left, right) => left.at - right.at)
    .slice(0, asked)
    .map(({ one }) => one);
}

async function shownOf(
  functions: readonly AskedFunction[],
  project: ReadableProject,
  signal: AbortSignal,
): Promise<number> {
  const syntax = await loadSyntax();
  let shown = 0;
  for (const { path, line, question } of functions) {
    signal.throwIfAborted();
    const parts = partsThatFit(await readChunks(project, syntax, question, false), question);
    if (parts.some(({ path: own, span }) => own === path && span?.startLine === line)) shown += 1;
  }
  return shown;
}

function projectOf(texts: ReadonlyMap<string, string>, symbols: RecipeSymbols | null): ReadableProject {
  const lines = [...texts].map(([path, text]) => ({ path, lines: text.toLowerCase().split('\n') }));
  const entries = [...texts].map(([path, text]) => ({ path, kind: 'file', sizeBytes: text.length }) as const);
  return {
    facts: { testFiles: [] },
    world: {
      list: () => Promise.resolve(entries),
      read: (path) => Promise.resolve(texts.get(path) ?? null),
      search: ({ pattern, limit = 300 }) => {
        const word = pattern.toLowerCase();
        const matches = lines.flatMap(({ path, lines: all }) =>
          all.flatMap((text, at) => (text.includes(word) ? [{ path, line: at + 1, text }] : [])),
        );
        return Promise.resolve({ matches: matches.slice(0, limit), truncated: matches.length > limit });
      },
      symbols,
    },
  };
}

async function symbolsOf(texts: ReadonlyMap<string, string>): Promise<RecipeSymbols> {
  const extract = await tagExtractor('python');
  const files = [...texts].map(([path, text]) => symbolFileOf({ path, language: 'python', ...extract(text) }));
  return {
    find: () => Promise.resolve({ definitions: [], references: [], moreDefinitions: 0, hasMoreReferences: false }),
    rank: ({ limit, ...ask }) =>
      Promise.resolve(
        rankDefinitions(files, ask)
          .slice(0, limit)
          .map(({ path, definition, score }) => ({ path, ...definition, score })),
      ),
  };
}
