import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attachment } from '../../../../src/shared/attachments/attachment.ts';
import { hasImage, scansOf } from '../../../../src/shared/attachments/attachment-text.ts';
import type { MessageAttachments } from '../../../../src/main/sessions/attachments/message-attachments.ts';
import { createAttachmentCommands } from '../../../../src/main/sessions/attachments/commands.ts';
import { createMessageAttachments } from '../../../../src/main/sessions/attachments/message-attachments.ts';
import type { DocumentText } from '@shared/documents/document-text.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import type { ModelEntry } from '../../../../src/shared/contract/models-contract.ts';
import type { ModelInfo } from '../../../../src/shared/models/model-info.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';
import { compileFences, fencesSchema } from '../../../../src/shared/safety/fences.ts';
import { createFenceTaint } from '../../../../src/main/safety/taint.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

const never = new AbortController().signal;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const info = (id: string, contextTokens: number, images: boolean): ModelInfo => ({
  id,
  provider: 'here',
  name: id,
  label: id,
  where: 'local',
  contextTokens,
  parametersB: 1,
  capabilities: { tools: false, grammar: true, prefill: true, infill: false, countTokens: true, images },
  price: null,
  strategies: ['recipe'],
});
const infos: readonly ModelInfo[] = [
  { ...info('here/projector', 8192, false), seesWith: 'llama-server' },
  info('here/small', 8192, false),
  info('here/large', 131_072, false),
  info('here/eyes', 8192, true),
];
const entries: readonly ModelEntry[] = infos.map((one) => ({
  id: one.id,
  label: one.label,
  where: 'local',
  state: 'ready',
  sizeBytes: null,
  license: null,
  info: one,
  note: null,
}));

let folder: string;
let project: string;
let attachments: MessageAttachments;
let document: DocumentText;
let options: Parameters<typeof createMessageAttachments>[0];
const blobs = (): ReturnType<typeof createBlobs> => createBlobs(join(folder, 'blobs'));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-attachments-'));
  project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src', 'a.py'), 'one\ntwo\nthree\n');
  writeFileSync(join(project, 'shot.dat'), pixel);
  writeFileSync(join(project, 'raw.bin'), Buffer.from([0, 1, 2]));
  writeFileSync(join(project, '.gitignore'), 'out/\n');
  mkdirSync(join(project, 'out'));
  writeFileSync(join(project, 'out', 'a.py'), 'made\n');
  writeFileSync(join(folder, 'secret.txt'), 'outside\n');
  symlinkSync(join(folder, 'secret.txt'), join(project, 'link.txt'));
  mkdirSync(join(project, 'plans'));
  writeFileSync(join(project, 'plans', 'merger.md'), 'Code word: Heron\n');
  symlinkSync(join('plans', 'merger.md'), join(project, 'free.md'));
  linkSync(join(project, 'plans', 'merger.md'), join(project, 'twin.md'));
  const workspace = { mode: 'in-place', path: project } as const;
  options = {
    blobs: blobs(),
    redact: (text) => text.replaceAll('two', '[redacted]'),
    fences: async () => settingsSchema.parse({ fences: { rules: [{ paths: ['src/**'], verdict: 'ask' }] } }).fences,
    stateOf: async () => ({ ...emptySession, workspace, projectPath: project }),
    library: () => ({
      leaves: () => true,
      resources: async () => [],
      read: async () => [],
      prompts: async () => [],
      prompt: async () => ({ text: '', contents: [] }),
    }),
    readDocument: async () => document,
    hiddenIn: async () => ({ has: () => false }),
    preview: {
      models: { info: async (id) => infos.find((one) => one.id === id) ?? null, list: async () => entries },
      settings: () => settingsSchema.parse({ policy: 'local', local: 'here/small', cloud: null }),
    },
  };
  attachments = createMessageAttachments(options);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gather = (text: string) => attachments.gather('session', { text, given: [] }, never);
const textOf = async (sha256: string, bytes: number): Promise<string> =>
  Buffer.from((await blobs().get({ sha256, bytes })) ?? '').toString('utf8');

describe('a message that mentions files', () => {
  /** Catches: a fenced file that is free when it is mentioned by a link, or by another of its names. */
  it('attaches the file behind a link, and fences know it under every name', async () => {
    const gathered = await attachments.gather('s', { text: 'See @free.md and @twin.md', given: [] }, never);
    const [link, twin] = gathered.attachments;
    expect(link).toMatchObject({ name: 'free.md', path: 'plans/merger.md' });
    const settings = fencesSchema.parse({ rules: [{ paths: ['plans/**'], verdict: 'local-only' }] });
    const taint = createFenceTaint(compileFences({ settings, projectPath: project, isSecretFile: () => false }));
    const hit = { rule: 'plans/**', verdict: 'local-only', path: 'plans/merger.md', how: 'content' } as const;
    taint.addId(hit, link?.fileId ?? '');
    const said = {
      type: 'user-message-added',
      seq: 1,
      at: 1,
      v: 1,
      messageId: 'm',
      text: 'See',
      queued: false,
      attachments: [],
    } as const;
    taint.add({ ...said, attachments: twin === undefined ? [] : [twin] });
    expect(taint.inScope('conversation')).toEqual([hit]);
  });

  it('attaches lines of text, images as bytes and folders as names, without known secrets', async () => {
    const { attachments: given, notes } = await gather('See @src/a.py:2-3, @shot.dat, @src/ and @someone.');
    expect(notes).toEqual([]);
    expect(given.map(({ kind, name, path }) => [kind, name, path])).toEqual([
      ['text', 'src/a.py', 'src/a.py'],
      ['image', 'shot.dat', 'shot.dat'],
      ['text', 'src/', 'src'],
    ]);
    const texts = await Promise.all(
      [given[0], given[2]].map((one) => textOf(one?.blob.sha256 ?? '', one?.blob.bytes ?? 0)),
    );
    expect(texts).toEqual(['[redacted]\nthree\n', 'src/a.py\n']);
  });

  it('says why each file was not attached, and follows no link out of the folder', async () => {
    const { attachments: given, notes } = await gather('@src/b.py @link.txt @../secret.txt @raw.bin @src/a.py:90');
    expect(given).toEqual([]);
    expect(notes.map((note) => note.split(' ')[0])).toEqual([
      '@src/b.py',
      '@link.txt',
      '@../secret.txt',
      '@raw.bin',
      '@src/a.py',
    ]);
    expect(notes.join('\n')).not.toContain('outside');
  });
});

describe('a resource of a tool server', () => {
  const read: string[] = [];
  const text = (words: string) => ({ uri: 'notes://rules.md', bytes: Buffer.from(words) });
  const library = (leaves: boolean) => ({
    leaves: () => leaves,
    resources: async () => [{ server: 'docs', uri: 'notes://rules.md', name: 'rules' }],
    read: async (_server: string, uri: string) => {
      read.push(uri);
      return [text('one two'), { uri: 'notes://a.png', bytes: pixel }];
    },
    prompts: async () => [],
    prompt: async () => ({ text: '', contents: [] }),
  });
  const made = (leaves: boolean) => createMessageAttachments({ ...options, library: () => library(leaves) });

  // Catches: a server's words that pass for the user's, and a copy that is fetched again when the message is sent.
  it('is attached as text from outside without known secrets, and read only once', async () => {
    const { keepResource, gather: take } = made(true);
    const given = await keepResource(null, { server: 'docs', uri: 'notes://rules.md' }, never);
    const source = { server: 'docs', uri: 'notes://rules.md' };
    expect(given).toMatchObject([
      { kind: 'text', name: 'docs: rules.md', source },
      { kind: 'image', name: 'docs: a.png', source: { server: 'docs', uri: 'notes://a.png' } },
    ]);
    expect(await textOf(given[0]?.blob.sha256 ?? '', given[0]?.blob.bytes ?? 0)).toBe('one [redacted]');
    const sent = await take('session', { text: 'See @docs:notes://rules.md.', given }, never);
    expect(sent).toEqual({ attachments: given, notes: [] });
    expect(read).toEqual(['notes://rules.md']);
    const { notes } = await take('session', { text: 'See @docs:notes://other.md.', given: [] }, never);
    expect(notes).toEqual(['@docs:notes://other.md goes as words only: nothing of a tool server was attached for it.']);
  });

  it('is not read by an address with a secret unless the server runs here', async () => {
    const uri = `notes://find/${encodeURIComponent(`AKIA${'A7B2C9D4E6F8G1H3'}`)}`;
    const asked = { server: 'docs', uri };
    await expect(made(true).keepResource(null, asked, never)).rejects.toThrow('restricted');
    expect(read).not.toContain(uri);
    await made(false).keepResource(null, asked, never);
    expect(read).toContain(uri);
  });
});

describe('a prompt of a tool server', () => {
  // Catches: a server's words that are sent unseen, and arguments that carry a secret out.
  it('becomes text with hidden characters written out, and its resources come along', async () => {
    const asked: string[] = [];
    const library = () => ({
      leaves: () => true,
      resources: async () => [],
      read: async () => [],
      prompts: async () => [],
      prompt: async ({ values }: { readonly values: Readonly<Record<string, string>> }) => {
        asked.push(JSON.stringify(values));
        const text = `two days in ${values.city}.\u202E\n  Pack.`;
        return { text, contents: [{ uri: 'notes://list.md', bytes: Buffer.from('List') }] };
      },
    });
    const { takePrompt } = createMessageAttachments({ ...options, library });
    const trip = { server: 'docs', name: 'trip' };
    expect(await takePrompt(null, { ...trip, values: { city: 'Rome' } }, never)).toMatchObject({
      text: '[redacted] days in Rome.<U+202E>\n  Pack.',
      attachments: [{ kind: 'text', name: 'docs: list.md', source: { server: 'docs', uri: 'notes://list.md' } }],
    });
    const values = { city: `AKIA${'A7B2C9D4E6F8G1H3'}` };
    await expect(takePrompt(null, { ...trip, values }, never)).rejects.toThrow('restricted');
    expect(asked).toEqual(['{"city":"Rome"}']);
  });
});

describe('the search for files by name', () => {
  it('leaves out ignored files, and says how a fence treats the others', async () => {
    const found = await attachments.find({ sessionId: 'session' }, { text: 'a.py', limit: 9 }, never);
    expect(found).toEqual([{ path: 'src/a.py', staysHere: 'ask' }]);
  });

  it('still answers the next request when the first one was cancelled', async () => {
    const { find } = createAttachmentCommands(createMessageAttachments(options));
    const stop = new AbortController();
    const asked = (text: string) => ({ place: { sessionId: 'session' }, text, limit: 9 });
    const first = Promise.resolve(find({ input: asked('a'), signal: stop.signal })).catch(() => []);
    const next = find({ input: asked('a.py'), signal: never });
    stop.abort();
    await first;
    expect(await next).toEqual([{ path: 'src/a.py', staysHere: 'ask' }]);
  });
});

describe('the search for symbols by name', () => {
  const inProject = async (files: Readonly<Record<string, string>>, text: string, signal = never) => {
    const path = mkdtempSync(join(folder, 'symbols-'));
    for (const name of ['out', 'src', 'lib']) mkdirSync(join(path, name));
    writeFileSync(join(path, '.gitignore'), 'out/\n*.gen.py\n');
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    const found = await createMessageAttachments(options).find({ projectPath: path }, { text, limit: 9 }, signal);
    return found.map((one) =>
      one.symbol === undefined ? one.path : `${one.symbol.name} ${one.path}:${one.symbol.lines.from}`,
    );
  };
  const code =
    '\ndef parse_day(text):\n    return text\n\n\nclass DayParser:\n    def reparse_day(self):\n        pass\n';

  // Catches: a symbol that displaces the file that was meant, and a call or a longer name that comes before the name
  // itself.
  it('ranks them after a file of that name, the closest name first', async () => {
    const files = {
      'lib/dates.py': code,
      'parse_day.md': '# parse_day',
      'use.py': 'parse_day("1")\nif parse_day("2"):\n    pass\n',
      'p-a-r-s-e_day.txt': '',
    };
    expect(await inProject(files, 'parse_day')).toEqual([
      'parse_day.md',
      'parse_day lib/dates.py:2',
      'reparse_day lib/dates.py:7',
      'p-a-r-s-e_day.txt',
    ]);
  });

  // Catches: names from code that is fenced (`src/**` here) or ignored, and typed text that is taken for a pattern.
  it('covers only files that may be attached, and needs two letters', async () => {
    const files = { 'src/a.py': code, 'out/b.py': code, 'c.gen.py': code, 'notes.md': code };
    expect(await inProject(files, 'parse_day')).toEqual([]);
    for (const text of ['p', '', '.*', 'day(', 'a|b'])
      expect((await inProject({ 'lib/a.py': code }, text)).join('\n')).not.toContain('parse_day');
  });

  // Catches: a search that continues for letters that were already deleted.
  it('stops when the request was cancelled', async () => {
    expect(await inProject({ 'lib/dates.py': code }, 'parse_day', AbortSignal.abort())).toEqual([]);
  });
});

describe('a file that a person attaches', () => {
  it('is fenced by its place in the workspace, whatever its name is', async () => {
    const kept = await attachments.keep({
      name: 'pasted.png',
      data: pixel.toString('base64'),
      path: join(project, 'shot.dat'),
      place: { projectPath: project },
    });
    expect(kept).toMatchObject({ kind: 'image', mediaType: 'image/png', width: 1, height: 1, path: 'shot.dat' });
  });

  it('is not sent when it is gone or not what it claims to be', async () => {
    const blob = await blobs().put(Buffer.from('words'));
    const image = { kind: 'image', name: 'x.png', mediaType: 'image/png', width: 1, height: 1, blob } as const;
    const gone = { kind: 'text', name: 'y', blob: { sha256: 'f'.repeat(64), bytes: 3 } } as const;
    for (const given of [image, gone]) {
      const sent = attachments.gather('session', { text: 'hi', given: [given] }, never);
      await expect(sent).rejects.toMatchObject({ code: 'bad-input' });
    }
  });
});

describe('a message before it is sent', () => {
  const place = { sessionId: 'session' };
  const keep = (name: string, bytes: Buffer) => attachments.keep({ name, data: bytes.toString('base64') });
  const table = Buffer.from(Array.from({ length: 2500 }, (_, row) => `${row},name-${row},12.5\n`).join(''));

  it('shows how much of a long table its model will read', async () => {
    const csv = await keep('orders.csv', table);
    const small = await attachments.preview({ place, text: '', attachments: [csv] }, never);
    expect(small.models.map(({ id }) => id)).toEqual(['here/small']);
    const [file] = small.files;
    expect(file?.bytes).toBe(table.length);
    expect(file?.shownBytes).toBeGreaterThan(3000);
    expect(file?.shownBytes).toBeLessThan(9000);
    expect(file?.lines?.all).toBe(2500);
    expect(file?.lines?.shown).toBeLessThan(500);
    const large = await attachments.preview({ place, text: '', attachments: [csv], local: 'here/large' }, never);
    expect(large.files[0]?.shownBytes).toBe(table.length);
  });

  it('warns when its model sees no images, and names the models that do', async () => {
    const shot = await keep('shot.png', pixel);
    const blind = await attachments.preview({ place, text: '', attachments: [shot] }, never);
    expect(blind.unseen?.seeing.map(({ id }) => id)).toEqual(['here/eyes']);
    const seen = await attachments.preview({ place, text: '', attachments: [shot], local: 'here/eyes' }, never);
    expect(seen.unseen).toBeNull();
  });

  it('counts the files that it mentions, and says which are not attached', async () => {
    const text = 'See @src/a.py, @shot.dat and @raw.bin.';
    const { files, notes, unseen } = await attachments.preview({ place, text, attachments: [] }, never);
    expect(files.map(({ attachment: { name }, isMentioned }) => [name, isMentioned])).toEqual([
      ['src/a.py', true],
      ['shot.dat', true],
    ]);
    expect(notes.join()).toMatch(
      /@raw.bin was not attached: raw.bin is neither text, a PDF, a Word or Excel file, nor a supported image/u,
    );
    expect(unseen).not.toBeNull();
  });
});

describe('a file that is not what its name says', () => {
  /** Catches: an empty table that is sent as an empty text, and nobody hears of it. */
  it.each([
    ['sums.xlsx', '', 'sums.xlsx is empty.'],
    ['report.pdf', 'just words', 'report.pdf is not the kind of document that its name says.'],
    ['report.docx', 'just words', 'report.docx is not the kind of document that its name says.'],
  ])('is refused with a sentence: %s holding "%s"', async (name, text, message) => {
    const data = Buffer.from(text).toString('base64');
    await expect(attachments.keep({ name, data })).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining(message),
    });
    writeFileSync(join(project, name), text);
    expect((await gather(`See @${name}`)).notes).toEqual([expect.stringContaining(message)]);
  });

  it('is sent all the same if its text can be read as it is: a notebook that is none', async () => {
    document = { ok: false, why: 'broken' };
    const data = Buffer.from('just words').toString('base64');
    expect(await attachments.keep({ name: 'a.ipynb', data })).toMatchObject({ kind: 'text' });
  });
});

describe('a PDF', () => {
  it.each([
    [1, 'its page is a picture, probably a scan.', 'looks at its page there, with its tool show_page'],
    [3, 'its 3 pages are pictures, probably scans.', 'looks at its pages there, with its tool show_page'],
  ])('without text says what to do: %i pages', async (pages, what, advice) => {
    document = { ok: true, pages, texts: Array.from({ length: pages }, () => ' ') };
    const message = expect.stringMatching(new RegExp(`${what}.*${advice}`, 'u'));
    await expect(keep()).rejects.toMatchObject({ code: 'bad-input', message });
  });

  const pdf = Buffer.from('%PDF-1.7 as it came');
  const keep = (): Promise<Attachment> => attachments.keep({ name: 'report.pdf', data: pdf.toString('base64') });

  it('is kept as it is and shown as the text of its pages', async () => {
    document = { ok: true, pages: 3, texts: ['Total: two', ' ', 'The end'] };
    const kept = await keep();
    if (kept.kind !== 'text' || kept.document === undefined) throw new Error('no document');
    const { blob, ...facts } = kept.document;
    expect(facts).toEqual({ kind: 'pdf', pages: 3, read: 3, blank: 1 });
    expect(Buffer.from((await blobs().get(blob)) ?? '')).toEqual(pdf);
    expect(await textOf(kept.blob.sha256, kept.blob.bytes)).toBe(
      '[Page 1 of 3]\nTotal: [redacted]\n\n[Page 2 of 3]\n(This page has no text. It may be a picture.)\n\n[Page 3 of 3]\nThe end\n',
    );
    const { files } = await attachments.preview(
      { place: { sessionId: 'session' }, text: '', attachments: [kept] },
      never,
    );
    expect(files[0]?.pages).toEqual({ all: 3, shown: 3, blank: 1 });
  });

  it('keeps as many pages as a message can hold, and says how many', async () => {
    document = { ok: true, pages: 90, texts: Array.from({ length: 90 }, () => 'word '.repeat(1000)) };
    const kept = await keep();
    expect(kept).toMatchObject({ document: { pages: 90, read: 52, blank: 0 } });
  });

  describe('with pages without text', () => {
    const drawn: number[] = [];
    const drawPage: NonNullable<typeof options.drawPage> = async (_bytes, { page }) => {
      drawn.push(page);
      return { ok: true, pages: 30, png: Buffer.from(pixel), width: 1, height: 1 };
    };
    const keepDrawn = async (texts: readonly string[], draw = drawPage): Promise<Attachment> => {
      document = { ok: true, pages: texts.length, texts: [...texts] };
      drawn.length = 0;
      const drawing = createMessageAttachments({ ...options, drawPage: draw });
      return drawing.keep({ name: 'plan.pdf', data: pdf.toString('base64') });
    };
    const preview = (kept: Attachment, local: string) =>
      attachments.preview({ place: { sessionId: 'session' }, text: '', attachments: [kept], local }, never);

    it('shows them as pictures to a model that sees, and says what they cost', async () => {
      const kept = await keepDrawn(['one', ' ', 'three', '']);
      expect([drawn, hasImage([kept]), scansOf(kept).map(({ page }) => page)]).toEqual([[2, 4], false, [2, 4]]);
      const told = await preview(kept, 'here/eyes');
      expect(told.scans).toMatchObject({ pages: 2, drawn: 2, seeing: null });
      expect(told.scans?.tokens).toBeGreaterThan(0);
    });

    it('names the models that would see them where none of the message does, and sends the text', async () => {
      const told = await preview(await keepDrawn(['one', ' ']), 'here/small');
      expect([told.unseen, told.scans?.seeing?.map(({ images }) => images)]).toEqual([
        null,
        expect.arrayContaining([true]),
      ]);
    });

    it('names the model of the message itself, if it would see with a llama-server', async () => {
      const kept = await keepDrawn(['one', ' ']);
      expect((await preview(kept, 'here/projector')).couldSee).toMatchObject([{ id: 'here/projector' }]);
      expect((await preview(kept, 'here/small')).couldSee).toBeUndefined();
      expect((await preview(kept, 'here/eyes')).couldSee).toBeUndefined();
      const local = 'here/projector';
      const settings = () => settingsSchema.parse({ local, providers: { own: { kind: 'llama-server' } } });
      const served = createMessageAttachments({ ...options, preview: { ...options.preview, settings } });
      const message = { place: { sessionId: 'session' }, text: '', attachments: [kept], local };
      const told = await served.preview({ ...message, policy: 'local' }, never);
      expect([told.scans?.seeing !== null, told.couldSee]).toEqual([true, undefined]);
    });

    it('draws no more than a few', async () => {
      const kept = await keepDrawn(Array.from({ length: 30 }, (_, index) => (index === 0 ? 'one' : '')));
      expect([drawn.length, scansOf(kept).length]).toEqual([8, 8]);
      expect((await preview(kept, 'here/eyes')).scans).toMatchObject({ pages: 29, drawn: 8 });
    });

    it('is taken without any text, and then needs a model that sees', async () => {
      const kept = await keepDrawn(['', '']);
      expect(hasImage([kept])).toBe(true);
      const told = await preview(kept, 'here/small');
      expect([told.unseen?.seeing.length, told.scans]).toEqual([expect.any(Number), undefined]);
    });

    it('is refused without any text where no page can be drawn', async () => {
      const broken: typeof drawPage = async () => ({ ok: false, why: 'too-hard' });
      await expect(keepDrawn(['', ''], broken)).rejects.toThrow('text recognition (OCR)');
    });

    it('is not sent with pages that were changed', async () => {
      const kept = await keepDrawn(['one', '']);
      const other = await blobs().put(Buffer.from('no picture'));
      if (kept.kind !== 'text' || kept.document === undefined) throw new Error('no document');
      const scans = scansOf(kept).map((scan) => ({ ...scan, blob: other }));
      const changed = { ...kept, document: { ...kept.document, scans } };
      await expect(attachments.gather('session', { text: '', given: [changed] }, never)).rejects.toThrow(
        'does not match',
      );
    });
  });

  it('is refused with advice when it is locked, damaged, scanned or too large', async () => {
    const wordsOf = async (found: DocumentText): Promise<string> => {
      document = found;
      return keep().then(
        () => 'kept',
        (error: unknown) => String(error),
      );
    };
    expect(await wordsOf({ ok: false, why: 'encrypted' })).toContain('Save a copy without the password');
    expect(await wordsOf({ ok: false, why: 'broken' })).toContain('damaged');
    expect(await wordsOf({ ok: false, why: 'too-hard' })).toContain('Take only the part that you need');
    expect(await wordsOf({ ok: true, pages: 2, texts: ['', '\n'] })).toContain('text recognition (OCR)');
  });
});

describe('the chats of an export', () => {
  const keep = (words: string): Promise<Attachment> => {
    const text = 'one two';
    const messages = [text, words].map((said) => ({ sender: 'human', text: said }));
    const exported = JSON.stringify([{ name: 'A talk', chat_messages: messages }]);
    return attachments.keep({ name: 'conversations.json', data: Buffer.from(exported).toString('base64') });
  };
  const talk = '# A talk\n\nA conversation with Claude, date unknown\n\n## User\n\none [redacted]\n\n## User\n\n';

  it('are attached as text without known secrets', async () => {
    const kept = await keep('and\0 three');
    const text = `${talk}and three\n`;
    expect(await textOf(kept.blob.sha256, kept.blob.bytes)).toBe(text);
    expect(kept).toMatchObject({ kind: 'text', chat: { conversations: 1, bytes: text.length } });
    const sent = await attachments.gather('session', { text: 'hi', given: [kept] }, never);
    expect(sent.attachments).toEqual([kept]);
  });

  // Catches: a chip that says a whole export is sent although most of it was left out when it was kept.
  it('are cut to what a message can hold, and say how much that is', async () => {
    const kept = await keep('ü'.repeat(200_000));
    const all = talk.length + 400_001;
    expect(kept).toMatchObject({ chat: { conversations: 1, bytes: all } });
    const text = await textOf(kept.blob.sha256, kept.blob.bytes);
    expect(kept.blob.bytes).toBeGreaterThan(256 * 1024 - 2);
    expect(text.endsWith('ü')).toBe(true);
    const { files } = await attachments.preview(
      { place: { sessionId: 'session' }, text: '', attachments: [kept], local: 'here/large' },
      never,
    );
    expect(files[0]).toMatchObject({ bytes: all, lines: null });
    expect(files[0]?.shownBytes).toBeLessThanOrEqual(256 * 1024);
  });

  it('are not converted when a mention names lines of the file', async () => {
    const exported = JSON.stringify({ name: 'A talk', chat_messages: [{ sender: 'human', text: 'Hi' }] }, null, 1);
    writeFileSync(join(project, 'talk.json'), exported);
    const { attachments: given } = await gather('@talk.json and @talk.json:1-2');
    const [whole, lines] = await Promise.all(given.map(({ blob }) => textOf(blob.sha256, blob.bytes)));
    expect(whole).toContain('## User\n\nHi\n');
    expect(lines).toBe('{\n "name": "A talk",\n');
  });
});

describe('a text file in another encoding', () => {
  it('is attached as UTF-8, and its encoding is noted', async () => {
    const keep = (bytes: Buffer) => attachments.keep({ name: 'a.txt', data: bytes.toString('base64') });
    const utf16 = await keep(Buffer.from('\ufeffGrüße', 'utf16le'));
    expect(utf16).toMatchObject({ kind: 'text', encoding: 'UTF-16 LE' });
    expect(await textOf(utf16.blob.sha256, utf16.blob.bytes)).toBe('Grüße');
    const latin = await keep(Buffer.from('Grüße', 'latin1'));
    expect(latin).toMatchObject({ kind: 'text', encoding: 'Windows-1252' });
    expect(await textOf(latin.blob.sha256, latin.blob.bytes)).toBe('Grüße');
  });
});
