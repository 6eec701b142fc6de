import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { settingsSchema } from '@shared/settings/settings.ts';
import { createChosenFolders, createKnowledgeParts } from '../../../src/main/compose-folders.ts';
import { createDocumentReader } from '../../../src/main/documents/read-document.ts';
import { openIndex, type IndexClient } from '../../../src/main/documents/search/index-client.ts';
import { createVectorWork, type VectorWork } from '../../../src/main/documents/search/make-vectors.ts';
import { createSearchDocuments } from '../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createRuleFiles } from '../../../src/main/safety/rule-files.ts';
import { pdfFile } from '../../../tests/fakes/pdf-file.ts';
import type { BenchRow } from '../rows.ts';
import { documentTexts, openKeptMiniLm } from './retrieval-rows.ts';

const wantedPages = 200;
const linesOfPage = 44;
const charactersOfLine = 90;
const mostEmptyTries = 8;
const cited = 3;
const target = 85;

const questionSchema = z.array(
  z.object({ split: z.enum(['held', 'development']), path: z.string(), question: z.string(), words: z.string() }),
);

interface Question {
  readonly split: 'held' | 'development';
  readonly question: string;
  /** The pages, as `NAME PAGE`, on which the words stand that answer it. */
  readonly pages: ReadonlySet<string>;
}

/**
 * Whether the right page is among the first that a search of the knowledge cites. Documentations of npm packages become
 * PDFs with pages, which are added to the knowledge of a project as a person adds them. The questions were written by
 * hand, each with the words that answer it. Nothing was chosen by the held ones.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-knowledge-'));
  try {
    const { files, questions, pages } = await writtenDocuments(join(folder, 'shelf'));
    const found = await foundPages(folder, { files, questions }, signal);
    return ['held', 'development'].flatMap((split) => {
      const asked = questions.filter((one) => one.split === split);
      return ways.map((by): BenchRow => {
        const right = asked.filter((one) => found(one, by).some((page) => one.pages.has(page))).length;
        const isTarget = split === 'held' && by === 'both';
        return {
          figure: `knowledge: right page among the first ${cited}, ${by}${split === 'held' ? '' : ', development half'}`,
          value: (100 * right) / asked.length,
          unit: '%',
          target: isTarget ? { atLeast: target } : null,
          note: `${right} of ${asked.length} questions, ${pages} pages in ${files.length} PDFs of three documentations; all-MiniLM-L6-v2`,
        };
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The documentations that the questions are about, and as many others as make the pages full. */
async function writtenDocuments(shelf: string) {
  await mkdir(shelf, { recursive: true });
  const texts = await documentTexts();
  const asked = questionSchema.parse(
    JSON.parse(await readFile(resolve('bench/data/knowledge-questions.json'), 'utf8')),
  );
  const wanted = new Set(asked.map(({ path }) => path));
  const all = [...texts.keys()].toSorted((one, other) => Number(wanted.has(other)) - Number(wanted.has(one)));
  const files: string[] = [];
  const questions: Question[] = [];
  let pages = 0;
  for (const path of all) {
    if (pages >= wantedPages && !wanted.has(path)) break;
    const cut = pagesOf(texts.get(path) ?? '');
    const name = `${dirname(path).replaceAll(/[^\w]+/gu, '-')}-${basename(path, '.md')}.pdf`;
    const file = join(shelf, name);
    await writeFile(file, pdfFile({ pages: cut.map(({ lines }) => lines), isCompressed: true }));
    files.push(file);
    pages += cut.length;
    for (const { split, question, words } of asked.filter((one) => one.path === path)) {
      const on = cut.flatMap(({ sources }, at) =>
        sources.some((line) => line.includes(words)) ? [`${name} ${at + 1}`] : [],
      );
      if (on.length === 0) throw new Error(`${path} does not have "${words}".`);
      questions.push({ split, question, pages: new Set(on) });
    }
  }
  return { files, questions, pages };
}

interface CutPage {
  readonly lines: readonly string[];
  /** The whole lines of the text that begin on it. */
  readonly sources: readonly string[];
}

function pagesOf(text: string): readonly CutPage[] {
  const pages: { lines: string[]; sources: string[] }[] = [];
  for (const source of text.split('\n')) {
    const plain = source.replaceAll('…', '...').replaceAll(/[^\x20-\x7E]/gu, "'");
    const parts = plain.match(new RegExp(`.{1,${charactersOfLine}}(?:\\s|$)|.{1,${charactersOfLine}}`, 'gu')) ?? [''];
    for (const [at, part] of parts.entries()) {
      let page = pages.at(-1);
      if (page === undefined || page.lines.length >= linesOfPage) pages.push((page = { lines: [], sources: [] }));
      page.lines.push(part.trimEnd() === '' ? ' ' : part.trimEnd());
      if (at === 0) page.sources.push(source);
    }
  }
  return pages;
}

type Way = 'words' | 'vectors' | 'both';
const ways: readonly Way[] = ['words', 'vectors', 'both'];

/**
 * The engine works behind everything else, and is given up where it does not answer. What is made by then is kept, so a
 * busy machine takes longer, and the measurement ends only where nothing more is made.
 */
async function makeVectors(
  work: Pick<VectorWork, 'makeAll'>,
  files: Parameters<VectorWork['makeAll']>[0],
  signal: AbortSignal,
): Promise<void> {
  let most = 0;
  for (let before = -1, empty = 0; empty < mostEmptyTries;) {
    const stopped = await work.makeAll(
      files,
      (progress) => {
        if (progress.type !== 'vectors') return;
        if (progress.done !== most) console.error(`${progress.done} of ${progress.of} parts`);
        most = progress.done;
      },
      signal,
    );
    if (stopped === null) return;
    console.error(stopped);
    empty = most > before ? 0 : empty + 1;
    before = most;
  }
  throw new Error(`The vectors were not made: ${most} parts have one.`);
}

/** Adds the files to the knowledge of a project as a person does. */
async function addedKnowledge(home: string, files: readonly string[], signal: AbortSignal) {
  const project = join(home, 'project');
  await mkdir(project, { recursive: true });
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('src/main/documents/document-process.ts');
  const base = { programs, nodePath: process.execPath, processPath, indexPath: join(home, 'index.sqlite') };
  const readDocument = createDocumentReader(base);
  const searchDocuments = createSearchDocuments({ ...base, readDocument, now: () => 0, budgetMs: 600_000 });
  const current = () => settingsSchema.parse({});
  const folders = {
    settings: { current, tell: () => undefined },
    rules: createRuleFiles({ home, approved: () => ({}) }),
  };
  const chosenFolders = createChosenFolders({ home }, folders);
  const knowledge = createKnowledgeParts(
    { home },
    {
      ...folders,
      now: () => 0,
      chosenFolders,
      readDocument,
      searchDocuments,
      forgetPaths: () => Promise.resolve(),
      exchange: () => Promise.reject(new Error('No page is fetched here.')),
    },
  );
  const sources = files.map((path) => ({ type: 'file', path }) as const);
  await knowledge.add(project, sources, { tell: () => undefined, signal });
  const [folder] = await chosenFolders(project)(signal);
  const scanned = await folder?.files.scan(signal);
  if (folder === undefined || scanned?.ok !== true) throw new Error('The knowledge is not there.');
  const taken = [...scanned.value.files].map(([path, { fingerprint }]) => ({
    path: `${folder.name}/${path}`,
    fingerprint,
  }));
  if (taken.length < files.length) throw new Error(`Only ${taken.length} of ${files.length} files were added.`);
  return { base, folder, taken };
}

/** Makes the vectors and asks each question in each way. Returns the pages that one way cites for one of them. */
async function foundPages(
  home: string,
  { files, questions }: { readonly files: readonly string[]; readonly questions: readonly Question[] },
  signal: AbortSignal,
): Promise<(asked: Question, by: Way) => readonly string[]> {
  const { base, folder, taken } = await addedKnowledge(home, files, signal);
  const texts = await openKeptMiniLm(home, signal);
  const open = (stop: AbortSignal): IndexClient => openIndex(base, 0, stop);
  const work = createVectorWork({ texts, open });
  const index = open(signal);
  try {
    await makeVectors(work, taken, signal);
    await index.take(taken);
    const answers = new Map<string, readonly string[]>();
    for (const { question } of questions) {
      const { query } = await work.prepare(index, { words: question, files: taken }, signal);
      if (query === null) throw new Error('A question has no vector.');
      for (const by of ways) {
        const parts = await index.find(by === 'vectors' ? '' : question, cited, by === 'words' ? undefined : query);
        const pages = parts.map(({ path, page }) => `${path.slice(folder.name.length + 1)} ${page ?? '-'}`);
        answers.set(`${by} ${question}`, pages);
      }
    }
    return ({ question }, by) => answers.get(`${by} ${question}`) ?? [];
  } finally {
    index.close();
    await work.dispose();
    await texts.dispose();
  }
}
