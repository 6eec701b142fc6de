import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import { projectRecordSchema } from '@shared/projects/project-record.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { createPlaceParts } from '../../../src/main/compose-project.ts';
import type { DocumentPlaces } from '../../../src/main/documents/document-places.ts';
import { createDocumentReader, createPageDrawer } from '../../../src/main/documents/read-document.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { excelFile, wordFile } from '../../fakes/office-files.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';

const never = new AbortController().signal;
let home: string;
let places: DocumentPlaces;
let reads = 0;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-places-'));
  const work = join(home, 'work');
  mkdirSync(join(work, 'docs'), { recursive: true });
  mkdirSync(join(home, 'kept'));
  writeFileSync(join(work, 'docs', 'notes.md'), 'One\nTwo\nThree\n');
  writeFileSync(join(work, 'report.pdf'), pdfFile({ pages: [['Summary'], ['Revenue grew.', 'By 12 percent.']] }));
  writeFileSync(join(work, 'scan.pdf'), pdfFile({ pages: [['Cover'], []] }));
  writeFileSync(join(work, 'offer.docx'), wordFile(['# Offer', 'Three years.']));
  writeFileSync(
    join(work, 'sales.xlsx'),
    excelFile({
      May: [
        ['Item', 'Price'],
        ['Pen', 3],
      ],
      'June 26': [
        ['Item', 'Price'],
        ['Ink', 9],
      ],
    }),
  );
  writeFileSync(join(work, 'data.csv'), 'name,count\nada,3\n\nbob,4\n');
  const cells = [
    { cell_type: 'markdown', source: '# Plan' },
    { cell_type: 'code', source: 'print(1)', outputs: [{ output_type: 'stream', text: '1\n' }] },
  ];
  writeFileSync(join(work, 'plan.ipynb'), JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  writeFileSync(join(work, 'secret.md'), 'hidden\n');
  writeFileSync(join(home, 'outside.md'), 'outside\n');
  symlinkSync(join(home, 'outside.md'), join(work, 'link.md'));
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  const parser = { programs, nodePath: process.execPath, processPath };
  const read = createDocumentReader(parser);
  writeFileSync(join(home, 'kept', 'contract.txt'), 'The rent is 900.\n');
  const kept = { workspacePath: join(home, 'kept'), because: null, hidden: async () => ({ has: () => false }) };
  const knowledge = { name: 'knowledge', files: createReadOnlySandbox(kept).files, isLeftOut: () => false };
  const rent = projectRecordSchema.parse({ name: 'Rent' });
  const blob = { sha256: 'a'.repeat(64), bytes: 1 };
  const document = { pages: 2, read: 2, blank: 0, blob };
  places = createPlaceParts({
    readDocument: (bytes, asked) => {
      reads += 1;
      return read(bytes, asked);
    },
    drawPage: createPageDrawer(parser),
    blobs: { get: async () => Buffer.from('[Page 1 of 2]\nGiven one\n\n[Page 2 of 2]\nGiven two\n') },
    chosenFolders: (project) => async () => (project === 'project:abcdefghij' ? [knowledge] : []),
    settings: { current: () => ({ projects: { added: [], removed: {}, records: { abcdefghij: rent } } }) },
    hiddenIn: async () => ({ has: (path) => path === 'secret.md' }),
    stateOf: async (sessionId) => ({
      ...emptySession,
      ...(sessionId === 'rent' ? { project: 'abcdefghij' } : {}),
      workspace: { mode: 'in-place', path: work, isGit: false },
      messages: [
        { messageId: 'm', text: '', seq: 1, at: 0, attachments: [{ kind: 'text', name: 'given.pdf', blob, document }] },
      ],
    }),
  });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const shown = (place: CitedPlace) => places.show('s1', place, never);
const page = (number: number) => ({ word: 'page', number }) as const;

describe('a place in a document', () => {
  it('is a line of a text, with the lines around it', async () => {
    expect(await shown({ path: 'docs/notes.md', line: 2 })).toEqual({
      path: 'docs/notes.md',
      part: null,
      form: 'text',
      lines: ['One', 'Two', 'Three'],
      from: 1,
      all: 3,
      at: 1,
      column: null,
    });
    expect(await shown({ path: 'offer.docx', line: 3 })).toMatchObject({
      at: 2,
      lines: ['# Offer', '', 'Three years.'],
    });
  }, 120_000);

  it('is a page of a PDF, also by a line of its text', async () => {
    const second = { lines: ['Revenue grew.', 'By 12 percent.'], part: { word: 'page', number: 2, of: 2, name: null } };
    expect(await shown({ path: 'report.pdf', part: page(2) })).toMatchObject({ ...second, at: null });
    expect(await shown({ path: 'report.pdf', line: 6 })).toMatchObject({ ...second, at: 1 });
    expect(await shown({ path: 'report.pdf', line: 5, part: page(2) })).toMatchObject({ ...second, at: 0 });
  }, 120_000);

  it('is a picture where the page has no text', async () => {
    const scan = await shown({ path: 'scan.pdf', part: page(2) });
    expect(scan?.picture).toMatchObject({ path: 'scan.pdf, page 2', mediaType: 'image/png' });
    expect(scan?.picture?.data).toMatch(/^iVBORw0KGgo/u);
    expect(await shown({ path: 'scan.pdf', part: page(1) })).not.toHaveProperty('picture');
  }, 120_000);

  it('is a cell of a sheet or a table, or a cell of a notebook', async () => {
    const place = { path: 'sales.xlsx', cell: { sheet: 'june 26', cell: 'B2' } };
    const part = { word: 'sheet', number: 2, of: 2, name: 'June 26' };
    expect(await shown(place)).toMatchObject({
      part,
      form: 'table',
      at: 2,
      column: 1,
      lines: [',A,B', '1,Item,Price', '2,Ink,9'],
    });
    expect(await shown({ path: 'data.csv', line: 4 })).toMatchObject({ form: 'table', at: 3, column: null });
    expect(await shown({ path: 'plan.ipynb', part: { word: 'cell', number: 2 } })).toMatchObject({
      part: { word: 'cell', number: 2, of: 2, name: 'code' },
      lines: ['print(1)', '[Output]', '1'],
    });
  }, 120_000);

  // Bug: a project without a folder had no citation that opened.
  it('is a line of what a project without a folder has at hand, for its sessions alone', async () => {
    const place = { path: 'knowledge/contract.txt', line: 1 };
    expect(await places.find('rent', [place], never)).toEqual([true]);
    expect(await places.find('s1', [place], never)).toEqual([false]);
  });

  it('is a page of an attachment that is not in the workspace', async () => {
    expect(await shown({ path: 'given.pdf', part: page(2) })).toMatchObject({ lines: ['Given two'] });
  });

  it('is not there past the end, in a hidden file, behind a link out of the workspace, or in another kind', async () => {
    const gone: readonly CitedPlace[] = [
      { path: 'docs/notes.md', line: 4 },
      { path: 'docs/notes.md', part: page(1) },
      { path: 'report.pdf', part: page(3) },
      { path: 'report.pdf', line: 99 },
      { path: 'sales.xlsx', cell: { sheet: 'July', cell: 'B2' } },
      { path: 'sales.xlsx', cell: { sheet: 'May', cell: 'C2' } },
      { path: 'sales.xlsx', cell: { sheet: 'May', cell: 'B3' } },
      { path: 'plan.ipynb', part: { word: 'cell', number: 3 } },
      { path: 'given.pdf', part: page(3) },
      { path: 'secret.md', line: 1 },
      { path: 'link.md', line: 1 },
      { path: '../outside.md', line: 1 },
      { path: join(home, 'outside.md'), line: 1 },
      { path: 'none.md', line: 1 },
    ];
    expect(await places.find('s1', gone, never)).toEqual(gone.map(() => false));
    expect(await places.find('s1', [{ path: 'docs/notes.md', line: 3 }], never)).toEqual([true]);
  }, 120_000);

  // Bug: each of ten citations of one PDF parses it again.
  it('is looked up without parsing the document again', async () => {
    await shown({ path: 'report.pdf', part: page(1) });
    const before = reads;
    const same = [1, 2, 3].map((number) => ({ path: 'report.pdf', part: page(number) }));
    expect(await places.find('s1', same, never)).toEqual([true, true, false]);
    expect(reads).toBe(before);
  }, 120_000);
});
