import { readFileSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHeaderReader } from '../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { adviseOnFile, createModelAdvisor, knownDrafters } from '../../../../src/main/models/suggest/file-advice.ts';
import type { FileHere } from '../../../../src/main/models/suggest/file-advice.ts';
import { parseOffered } from '../../../../src/main/models/suggest/offered-models.ts';

/** Catches: a broken or outdated file without a warning, and a warning about a sound file. */
const catalog = parseOffered(JSON.parse(readFileSync('resources/catalog.json', 'utf8')));
const offered = catalog.models.flatMap((model) => model.files.map((file) => ({ model, file })));
const sized = offered.find(({ model, file }) => model.badBefore === null && file.bytes !== null);
const dated = offered.find(({ model }) => model.badBefore !== null);
if (sized === undefined || dated === undefined) throw new Error('the catalog has no such file');

const here = (changes: Partial<FileHere> = {}): FileHere => ({
  id: 'llama-cpp/own',
  fileName: sized.file.file,
  bytes: sized.file.bytes ?? 0,
  writtenAt: new Date('2026-08-01T12:00:00Z'),
  damage: null,
  isOurs: true,
  ...changes,
});
const speeds = (decodePerSecond: number | null) => ({
  speeds: [
    { promptTokens: 4_000, prefillPerSecond: 10, decodePerSecond: 1 },
    { promptTokens: 200, prefillPerSecond: 20, decodePerSecond },
  ],
});
const kinds = (...asked: Parameters<typeof adviseOnFile>): readonly string[] =>
  adviseOnFile(...asked).map(({ kind }) => kind);

describe('the advice on a model file', () => {
  it('is empty if it is unchanged, not in the catalog, or fast enough', () => {
    expect(adviseOnFile(here(), null, catalog)).toEqual([]);
    expect(adviseOnFile(here({ fileName: 'own.gguf', bytes: 5 }), null, catalog)).toEqual([]);
    expect(adviseOnFile(here(), speeds(4), catalog)).toEqual([]);
    expect(adviseOnFile(here(), speeds(null), catalog)).toEqual([]);
  });

  it('names the drafters in the catalog, and none for another file', () => {
    const drafted = offered.find(({ model }) => model.draft !== null);
    expect(drafted).toBeDefined();
    expect(knownDrafters(catalog, join('/models', drafted?.file.file ?? ''))).toBe(drafted?.model.draft);
    expect(knownDrafters(catalog, '/models/own.gguf')).toBeUndefined();
  });

  it('names a newer file if the size differs and the file is older than the catalog', () => {
    const [advice] = adviseOnFile(here({ bytes: 1_000_000_000 }), null, catalog);
    expect(advice?.kind).toBe('newer');
    expect(advice?.text).toContain(`hf:${sized.file.repository}/${sized.file.file}`);
    expect(advice?.text).toContain('`dewpoint models remove llama-cpp/own`');
    // A later file may be newer than what the catalog knows.
    expect(adviseOnFile(here({ bytes: 1, writtenAt: new Date('2030-01-01') }), null, catalog)).toEqual([]);
    expect(adviseOnFile(here({ bytes: 1, isOurs: false }), null, catalog)[0]?.text).toContain('The file is your own');
  });

  it('names the bad date of its family with the reason', () => {
    const { badBefore } = dated.model;
    const day = (offset: number): Date => new Date(Date.parse(badBefore?.date ?? '') + offset * 86_400_000);
    const of = { fileName: dated.file.file, bytes: dated.file.bytes ?? 5 };
    const [advice] = adviseOnFile(here({ ...of, writtenAt: day(-1) }), null, catalog);
    expect(advice?.kind).toBe('broken');
    expect(advice?.text).toContain(badBefore?.why);
    expect(kinds(here({ ...of, writtenAt: day(0) }), null, catalog)).toEqual([]);
  });

  it('names only damage, or else that it is slow here', () => {
    expect(kinds(here({ damage: 'it is cut off.' }), speeds(1), catalog)).toEqual(['broken']);
    const [slow] = adviseOnFile(here(), speeds(2.14), catalog);
    expect(slow).toMatchObject({ kind: 'slow', text: expect.stringContaining('2.1 tokens per second') });
  });

  it('finds a cut file on the disk, and a slow model of a server', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dewpoint-advice-'));
    try {
      const path = join(dir, 'own.gguf');
      await writeFile(path, 'GGUF and no more');
      await utimes(path, new Date('2026-08-01'), new Date('2026-08-01'));
      const advise = createModelAdvisor(createHeaderReader(), async () => catalog);
      const entry = {
        id: 'llama-cpp/own',
        label: 'Own',
        where: 'local',
        state: 'ready',
        sizeBytes: 5,
        license: null,
        info: null,
        note: null,
      } as const;
      const file = { path, hereBytes: 16, isOurs: true };
      expect((await advise({ ...entry, file }, null)).map(({ kind }) => kind)).toEqual(['broken']);
      expect((await advise({ ...entry, id: 'ollama/own' }, speeds(1))).map(({ kind }) => kind)).toEqual(['slow']);
      expect(await advise({ ...entry, where: 'cloud' }, speeds(1))).toEqual([]);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
