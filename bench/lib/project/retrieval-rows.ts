import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { VectorProgress } from '@shared/documents/document-search.ts';
import { openIndex, type IndexClient, type IndexOptions } from '../../../src/main/documents/search/index-client.ts';
import { createVectorWork } from '../../../src/main/documents/search/make-vectors.ts';
import { findDataFolders } from '../../../src/main/lib/files/data-folders.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createLlamaEngine, type LlamaEngine } from '../../../src/main/models/engine/llama-engine.ts';
import { createTextVectors, type TextVectors } from '../../../src/main/models/text-vectors.ts';
import type { BenchRow } from '../rows.ts';
import { seeded } from '../seeded.ts';
import { UsageError } from '../usage-error.ts';
import { keptVectors } from './kept-vectors.ts';
import { fetchMiniLm } from './minilm-file.ts';

/** Documentations that come with packages of npm, in Markdown. */
const documentations = ['undici/docs/docs', 'nan/doc', 'node-gyp/gyp/docs'];
/** Nothing was ever chosen by their results. The sentences after them are the development half. */
const heldQuestions = 200;
const mostFound = 10;

interface Question {
  readonly words: string;
  readonly path: string;
  readonly line: number;
}

export interface BenchModel {
  readonly texts: TextVectors;
  readonly engine: LlamaEngine;
}

const cacheFolder = (): string => join(findDataFolders(process.env, process.platform).cache, 'bench');

/** all-MiniLM-L6-v2, with each vector made once for all runs, as quickly as this machine can. */
export async function openKeptMiniLm(home: string, signal: AbortSignal): Promise<TextVectors> {
  const { texts } = await openMiniLm(home, signal, false);
  return keptVectors(texts, join(cacheFolder(), 'all-minilm-l6-v2-vectors.sqlite'));
}

/** all-MiniLM-L6-v2 in the built-in engine. `isPolite`: behind all other work, as the program does it. */
export async function openMiniLm(home: string, signal: AbortSignal, isPolite = true): Promise<BenchModel> {
  const workerPath = resolve('out/main/llama-worker.cjs');
  if (!existsSync(workerPath)) throw new UsageError('Build first: npm run build');
  const path = await fetchMiniLm(cacheFolder(), signal);
  const engine = createLlamaEngine({
    nodePath: process.execPath,
    workerPath,
    programs: createHostPrograms({ home, env: process.env }),
    now: () => performance.now(),
    isPolite,
  });
  const file = { name: 'all-minilm-l6-v2', label: 'all-MiniLM-L6-v2', path, place: path, files: [path] };
  const unknown = { bytes: null, parametersB: null, license: null, sha256: null, strategies: [], efforts: [] };
  const about = { isInstalled: true, isStarter: false, origin: 'path', hereBytes: 0, contextTokens: 512 } as const;
  const texts = createTextVectors({
    engine,
    store: { list: async () => [{ ...file, ...unknown, ...about, use: 'vectors' }] },
    digests: { of: async () => 'all-minilm-l6-v2' },
    freeHostBytes: async () => Infinity,
  });
  return { texts, engine };
}

const progressText = (progress: VectorProgress): string =>
  progress.type === 'waiting' ? 'waiting' : `${progress.done} of ${progress.of} parts`;

/**
 * Each question is a sentence that was taken out of its section before the text was indexed, so the search never has the
 * words of the question in a row. The right answer is the part that it came from.
 */
export async function retrievalRows(
  options: IndexOptions,
  model: TextVectors,
  signal: AbortSignal,
): Promise<readonly BenchRow[]> {
  const texts = await documentTexts();
  const all = shuffled(
    [...texts].flatMap(([path, text]) => sentencesOf(path, text)),
    seeded(34),
  );
  const asked = all.slice(0, heldQuestions);
  const open = (stop: AbortSignal): IndexClient => openIndex(options, 0, stop);
  const index = open(signal);
  const work = createVectorWork({ texts: model, open });
  const ranks = { words: new Array<number>(), meaning: new Array<number>(), both: new Array<number>() };
  try {
    const files = [...texts.keys()].map((path) => ({ path, fingerprint: '' }));
    await index.add(files.map((file) => ({ ...file, text: withoutAll(texts.get(file.path) ?? '', file.path, asked) })));
    const stopped = await work.makeAll(files, (progress) => console.error(progressText(progress)), signal);
    if (stopped !== null) throw new Error(stopped);
    for (const question of asked) {
      const { query } = await work.prepare(index, { words: question.words, files }, signal);
      if (query === null) throw new Error('A question has no vector.');
      ranks.words.push(rankOf(question, await index.find(question.words, mostFound)));
      ranks.meaning.push(rankOf(question, await index.find('', mostFound, query)));
      ranks.both.push(rankOf(question, await index.find(question.words, mostFound, query)));
    }
  } finally {
    index.close();
    await work.dispose();
  }
  const note = `${asked.length} sentences held out of ${texts.size} pages of three documentations; all-MiniLM-L6-v2`;
  return [5, 1].flatMap((most) => {
    const [words, meaning, both] = [ranks.words, ranks.meaning, ranks.both].map(
      (found) => (100 * found.filter((rank) => rank <= most).length) / asked.length,
    );
    const row = (by: string, value: number | undefined, target: BenchRow['target'] = null): BenchRow => ({
      figure: `documents: recall@${most}, ${by}`,
      value: value ?? null,
      unit: '%',
      target,
      note,
    });
    const best = Math.max(words ?? 0, meaning ?? 0);
    return [row('words', words), row('vectors', meaning), row('both', both, most === 5 ? { atLeast: best } : null)];
  });
}

/** Infinity: not among those that were found. */
function rankOf({ path, line }: Question, found: Awaited<ReturnType<IndexClient['find']>>): number {
  const at = found.findIndex((one) => one.path === path && one.fromLine <= line && line <= one.toLine);
  return at < 0 ? Infinity : at + 1;
}

export async function documentTexts(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const documentation of documentations) {
    const root = resolve('node_modules', documentation);
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile() && one.name.endsWith('.md'))) {
      const path = join(entry.parentPath, entry.name);
      texts.set(path.slice(resolve('node_modules').length + 1), await readFile(path, 'utf8'));
    }
  }
  return texts;
}

/** Whole lines of prose with 8 to 40 words, outside of code, tables and headings, that stand nowhere else in the file. */
function sentencesOf(path: string, text: string): readonly Question[] {
  const lines = text.split('\n');
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    const sentence = /^[A-Z][^|#<]*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? '';
    const count = sentence.split(/\s+/u).length;
    const isOnce = text.split(sentence).length === 2;
    return isCode || count < 8 || count > 40 || !isOnce ? [] : [{ words: sentence, path, line: index + 1 }];
  });
}

function withoutAll(text: string, path: string, asked: readonly Question[]): string {
  return asked.filter((one) => one.path === path).reduce((left, { words }) => left.replace(words, ''), text);
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
