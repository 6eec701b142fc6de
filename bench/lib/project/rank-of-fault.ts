import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSpans, type Span } from '../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../src/main/recipes/code/code-syntax.ts';
import { chunksAt, rankChunks } from '../../../src/main/recipes/context/rank-project-chunks.ts';
import { importClosure } from '../../../src/main/recipes/facts/import-closure.ts';
import type { SourceFile } from '../../../src/main/recipes/facts/project-reader.ts';
import { rankSuspects, type Evidence } from '../../../src/main/recipes/fix/locate/rank-suspects.ts';
import { reachOf } from '../../../src/main/recipes/fix/locate/reach-of-tests.ts';
import { showFailingTests } from '../../../src/main/recipes/fix/prompts/failing-tests.ts';
import { rankDefinitions } from '../../../src/main/symbols/rank/rank-definitions.ts';
import { symbolFileOf, type SymbolFile } from '../../../src/main/symbols/rank/symbol-file.ts';
import { tagExtractor } from '../../../src/main/symbols/tags/extract-tags.ts';
import { tagLanguageOf } from '../../../src/main/symbols/tags/tag-languages.ts';
import { filesBelow } from '../files-below.ts';
import { fetchPlanted } from '../planted.ts';
import type { FaultyPackage, PlantedFault } from './faulty-packages.ts';

/**
 * Ways to order suspects without a run. `words`: all chunks by the words of the test, as for an edit. `tests`: by names
 * in the test and the distance of imports. `names`: what fixing does. `map`: definitions as in a map of the project.
 */
export const orderNames = ['words', 'tests', 'names', 'map'] as const;
export type OrderName = (typeof orderNames)[number];

interface Project {
  readonly syntax: Syntax;
  readonly files: ReadonlyMap<string, SourceFile>;
}

const notOwn = /(^|\/)(node_modules|dist|docs?|examples?)\//;

/** The sources of a published package, without what is built from them. */
export async function readPackage(one: FaultyPackage, cacheFolder: string, signal: AbortSignal): Promise<Project> {
  const syntax = await loadSyntax();
  const folder = await fetchPlanted({ id: one.source.package, source: one.source }, cacheFolder, signal);
  const files = new Map<string, SourceFile>();
  for (const path of [...(await filesBelow(folder))].sort()) {
    if (notOwn.test(path)) continue;
    const file = sourceOf(syntax, path, await readFile(join(folder, path), 'utf8'));
    if (file !== null) files.set(path, file);
  }
  return { syntax, files };
}

function sourceOf(syntax: Syntax, path: string, text: string): SourceFile | null {
  const language = languageOf(path);
  return language === null ? null : { path, language, text, spans: findSpans(syntax, { path, language, text }) };
}

const testPath =
  /(^|\/)(tests?|__tests__|spec)\/|(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$|[.-](test|spec)\.[cm]?[jt]sx?$/;

/** How many files are looked at, as when fixing. */
const most = { near: 60, small: 20 };

/** The rank of the faulty function in each order, from 1. Null: it is in none of the places. */
export async function rankOfFault(
  { syntax, files }: Project,
  fault: PlantedFault,
): Promise<Readonly<Record<OrderName, number | null>>> {
  const before = files.get(fault.file);
  const path = fault.test.split('::')[0] ?? '';
  const test = files.get(path);
  if (before === undefined || test === undefined) throw new Error(`${fault.file} or ${path} is not in the package`);
  const planted = sourceOf(
    syntax,
    fault.file,
    before.text.slice(0, fault.start) + fault.text + before.text.slice(fault.end),
  );
  const all = planted === null ? files : new Map([...files, [fault.file, planted]]);
  const failure = { id: fault.test, path, line: null, errorName: null, message: '', frames: [] };
  const failing = showFailingTests(syntax, test, [failure], 420);
  const task = `${fault.test} fails. Find the cause and fix it.`;
  const read = (one: string) => Promise.resolve(all.get(one)?.text ?? null);
  const distance = await importClosure([path], new Set(all.keys()), read, most.near);
  const own = [...all.values()].filter((file) => !testPath.test(file.path));
  const near = own.filter((file) => own.length <= most.small || distance.has(file.path));
  const helpers = [...distance.keys()].flatMap((one) => (testPath.test(one) ? (all.get(one) ?? []) : []));
  const evidence: Evidence = {
    failures: [{ ...failure }],
    coverage: null,
    testNames: failing.names,
    task,
    distance,
    missing: [],
    reach: null,
  };
  const reach = reachOf({ files: near, helpers, tests: [failing], task });
  const words = `${task}\n${failing.text}`;
  const chunks = rankChunks(
    own.flatMap((file) => chunksAt(file.path, file.text, file.spans)),
    words,
  );
  const placed = (spans: readonly (Span | null)[]) => spans.map((span) => span ?? nowhere);
  return {
    words: rankIn(placed(chunks.map(({ chunk }) => chunk.span)), fault),
    tests: rankIn(
      rankSuspects(near, evidence).map(({ span }) => span),
      fault,
    ),
    names: rankIn(
      rankSuspects(near, { ...evidence, reach }).map(({ span }) => span),
      fault,
    ),
    map: rankIn(await mapOrder(own, { words, touched: [path] }), fault),
  };
}

interface PlaceOfCode {
  readonly path: string;
  readonly kind: string;
  readonly startLine: number;
  readonly endLine: number;
}

const nowhere: PlaceOfCode = { path: '', kind: 'block', startLine: 0, endLine: 0 };

/** A class is no answer: the fault is in one of its methods. */
function rankIn(places: readonly PlaceOfCode[], { file, line }: PlantedFault): number | null {
  const at = places.findIndex(
    ({ path, kind, startLine, endLine }) =>
      path === file && startLine <= line && line <= endLine && (kind === 'function' || kind === 'method'),
  );
  return at < 0 ? null : at + 1;
}

async function mapOrder(
  files: readonly SourceFile[],
  ask: { readonly words: string; readonly touched: readonly string[] },
): Promise<readonly PlaceOfCode[]> {
  const tagged = await Promise.all(files.map(symbolsOf));
  const ranked = rankDefinitions(
    tagged.filter((file) => file !== null),
    ask,
  );
  return ranked.map(({ path, definition: { what, line, endLine } }) => ({
    path,
    kind: what,
    startLine: line,
    endLine,
  }));
}

/** All files but the faulty one are the same for each fault. */
const known = new WeakMap<SourceFile, SymbolFile>();

async function symbolsOf(file: SourceFile): Promise<SymbolFile | null> {
  const { path, text } = file;
  const language = tagLanguageOf(path);
  if (language === null) return null;
  const symbols = known.get(file) ?? symbolFileOf({ path, language, ...(await tagExtractor(language))(text) });
  known.set(file, symbols);
  return symbols;
}
