import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createDocumentReader } from '../../../src/main/documents/read-document.ts';
import type { IndexOptions } from '../../../src/main/documents/search/index-client.ts';
import { createSearchDocuments } from '../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { BenchRow } from '../rows.ts';
import { seeded } from '../seeded.ts';
import { residentBytes } from './resident-bytes.ts';
import { documentTexts, openKeptMiniLm, openMiniLm, retrievalRows, type BenchModel } from './retrieval-rows.ts';
import { scanRows, vectorRows } from './vector-rows.ts';

const manyFiles = 10_000;
const sampleMs = 20;
const never = new AbortController().signal;

/** Measures the search of documents: what it finds, and what it costs. Downloads one small embedding model, once. */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-documents-'));
  try {
    const kept = await openKeptMiniLm(folder, signal);
    const retrieval = await retrievalRows(indexOptions(folder, 'questions'), kept, signal).finally(kept.dispose);
    const model = await openMiniLm(folder, signal);
    try {
      return [...retrieval, ...(await indexRows(folder, model)), ...(await scanRows(indexOptions(folder, 'scan')))];
    } finally {
      await model.texts.dispose();
    }
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

async function indexRows(folder: string, model: BenchModel): Promise<readonly BenchRow[]> {
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
  const scanned = await files.scan(never);
  const documents = scanned.ok
    ? [...scanned.value.files].map(([path, { fingerprint }]) => ({ path, fingerprint }))
    : [];
  const isWhole = found.ok && found.value.left === 0 && found.value.chunks.length > 0;
  const value = (figure: number): number | null => (isWhole ? figure : null);
  const note = `${manyFiles} Markdown files of about 3 kB, on this machine's disk`;
  return [
    { figure: 'documents: index, cold', value: value(seconds), unit: 's', target: null, note },
    { figure: 'documents: search, nothing changed', value: value(again), unit: 's', target: null, note },
    { figure: 'documents: longest pause', value: value(longestMs), unit: 'ms', target: { atMost: 50 }, note },
    { figure: 'documents: process memory', value: value(most / 1e6), unit: 'MB', target: { atMost: 300 }, note },
    ...(await vectorRows(documents, options, model)),
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
