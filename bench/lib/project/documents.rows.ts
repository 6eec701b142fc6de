import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createDocumentReader } from '../../../src/main/documents/read-document.ts';
import { openIndex, type IndexOptions } from '../../../src/main/documents/search/index-client.ts';
import { createSearchDocuments } from '../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { BenchRow } from '../rows.ts';
import { seeded } from '../seeded.ts';

/** Documentations that come with packages of npm, in Markdown. */
const documentations = ['undici/docs/docs', 'nan/doc', 'node-gyp/gyp/docs'];
const questions = 200;
const manyFiles = 10_000;
const sampleMs = 20;
const never = new AbortController().signal;

interface Question {
  readonly words: string;
  readonly path: string;
  readonly line: number;
}

/**
 * Measures the search of documents. Each question is a sentence that was taken out of its section before the text was
 * indexed, so the search never has the words of the question in a row. The right answer is the part that it came from.
 */
export async function measure(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-documents-'));
  try {
    return [...(await retrievalRows(folder)), ...(await indexRows(folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function indexOptions(folder: string, name: string): IndexOptions {
  return {
    programs: createHostPrograms({ home: folder, env: process.env }),
    nodePath: process.execPath,
    processPath: resolve('src/main/documents/document-process.ts'),
    indexPath: join(folder, `${name}.sqlite`),
  };
}

async function retrievalRows(folder: string): Promise<readonly BenchRow[]> {
  const texts = await documentTexts();
  const random = seeded(34);
  const all = [...texts].flatMap(([path, text]) => sentencesOf(path, text));
  const asked = shuffled(all, random).slice(0, questions);
  const index = openIndex(indexOptions(folder, 'questions'), 0, never);
  const ranks: (number | null)[] = [];
  try {
    const files = [...texts.keys()].map((path) => ({ path, fingerprint: '' }));
    await index.add(files.map((file) => ({ ...file, text: withoutAll(texts.get(file.path) ?? '', file.path, asked) })));
    for (const { words, path, line } of asked) {
      const found = await index.find(words, 10);
      const at = found.findIndex((one) => one.path === path && one.fromLine <= line && line <= one.toLine);
      ranks.push(at < 0 ? null : at + 1);
    }
  } finally {
    index.close();
  }
  const recall = (most: number): number =>
    (100 * ranks.filter((rank) => rank !== null && rank <= most).length) / asked.length;
  const note = `${asked.length} sentences held out of ${texts.size} pages of three documentations; words alone, no vectors`;
  return [
    { figure: 'documents: recall@5', value: recall(5), unit: '%', target: null, note },
    { figure: 'documents: recall@1', value: recall(1), unit: '%', target: null, note },
  ];
}

async function documentTexts(): Promise<ReadonlyMap<string, string>> {
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

async function indexRows(folder: string): Promise<readonly BenchRow[]> {
  const project = join(folder, 'project');
  await makeFiles(project);
  const options = indexOptions(folder, 'many');
  const children: ChildProcess[] = [];
  const programs: IndexOptions['programs'] = {
    start: (...given) => {
      const child = options.programs.start(...given);
      children.push(child);
      return child;
    },
  };
  const search = createSearchDocuments({
    ...options,
    programs,
    readDocument: createDocumentReader(options),
    now: () => performance.now(),
    budgetMs: 600_000,
  });
  const { files } = createReadOnlySandbox({ workspacePath: project, because: null });
  let most = 0;
  const sampler = setInterval(() => {
    for (const { pid } of children) most = Math.max(most, residentBytes(pid));
  }, sampleMs);
  const pauses = startPauses();
  const startedAt = performance.now();
  const found = await search(files, { words: 'request body stream', limit: 5 }, never);
  const seconds = (performance.now() - startedAt) / 1000;
  const longestMs = pauses.stop();
  const againAt = performance.now();
  await search(files, { words: 'request body stream', limit: 5 }, never);
  const again = (performance.now() - againAt) / 1000;
  clearInterval(sampler);
  const isWhole = found.ok && found.value.left === 0 && found.value.chunks.length > 0;
  const value = (figure: number): number | null => (isWhole ? figure : null);
  const note = `${manyFiles} Markdown files of about 3 kB, on this machine's disk`;
  return [
    { figure: 'documents: index, cold', value: value(seconds), unit: 's', target: null, note },
    { figure: 'documents: search, nothing changed', value: value(again), unit: 's', target: null, note },
    { figure: 'documents: longest pause', value: value(longestMs), unit: 'ms', target: { atMost: 50 }, note },
    { figure: 'documents: process memory', value: value(most / 1e6), unit: 'MB', target: { atMost: 300 }, note },
  ];
}

/** Pieces of the same documentations, put together anew, so that words are as frequent as in real ones. */
async function makeFiles(project: string): Promise<void> {
  const pieces = [...(await documentTexts()).values()].flatMap((text) => text.split(/\n(?=#)/u));
  const random = seeded(35);
  for (let at = 0; at < manyFiles; at += 1) {
    const folder = join(project, `part-${at % 100}`);
    if (at < 100) await mkdir(folder, { recursive: true });
    let text = `# Page ${at}\n\n`;
    while (text.length < 3_000) text += `${pieces[Math.floor(random() * pieces.length)] ?? ''}\n\n`;
    await writeFile(join(folder, `page-${at}.md`), text.slice(0, 6_000));
  }
}

/**
 * The longest that this process kept its loop busy in one go, by its thread's processor time: other programs on the
 * machine do not count.
 */
function startPauses(): { readonly stop: () => number } {
  let longest = 0;
  let last = processorMs();
  let isOn = true;
  const look = (): void => {
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop: () => {
      isOn = false;
      return longest;
    },
  };
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Linux only: elsewhere the memory is not measured. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}
