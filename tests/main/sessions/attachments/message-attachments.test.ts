import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageAttachments } from '../../../../src/main/sessions/attachments/message-attachments.ts';
import { createAttachmentCommands } from '../../../../src/main/sessions/attachments/commands.ts';
import { createMessageAttachments } from '../../../../src/main/sessions/attachments/message-attachments.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

const never = new AbortController().signal;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let folder: string;
let project: string;
let attachments: MessageAttachments;
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
  const workspace = { mode: 'in-place', path: project } as const;
  options = {
    blobs: blobs(),
    redact: (text) => text.replaceAll('two', '[redacted]'),
    fences: async () => settingsSchema.parse({ fences: { rules: [{ paths: ['src/**'], verdict: 'ask' }] } }).fences,
    stateOf: async () => ({ ...emptySession, workspace, projectPath: project }),
  };
  attachments = createMessageAttachments(options);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gather = (text: string) => attachments.gather('session', { text, given: [] }, never);
const textOf = async (sha256: string, bytes: number): Promise<string> =>
  Buffer.from((await blobs().get({ sha256, bytes })) ?? '').toString('utf8');

describe('a message that mentions files', () => {
  it('brings their lines, images by their bytes and folders by their names, without known secrets', async () => {
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

  it('says of each that cannot be brought why not, and follows no link out of the folder', async () => {
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

describe('files by name', () => {
  it('leave out what is ignored, and say what a fence says of them', async () => {
    const found = await attachments.find({ sessionId: 'session' }, { text: 'a.py', limit: 9 });
    expect(found).toEqual([{ path: 'src/a.py', staysHere: 'ask' }]);
  });

  it('are found for who asks on while the folder is read, although who asked first has stopped', async () => {
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

describe('a file that a person gives', () => {
  it('is fenced by where it lies in the workspace, whatever it is called', async () => {
    const kept = await attachments.keep({
      name: 'pasted.png',
      data: pixel.toString('base64'),
      path: join(project, 'shot.dat'),
      place: { projectPath: project },
    });
    expect(kept).toMatchObject({ kind: 'image', mediaType: 'image/png', width: 1, height: 1, path: 'shot.dat' });
  });

  it('is not sent as something that it is not, or when it is gone', async () => {
    const blob = await blobs().put(Buffer.from('words'));
    const image = { kind: 'image', name: 'x.png', mediaType: 'image/png', width: 1, height: 1, blob } as const;
    const gone = { kind: 'text', name: 'y', blob: { sha256: 'f'.repeat(64), bytes: 3 } } as const;
    for (const given of [image, gone]) {
      const sent = attachments.gather('session', { text: 'hi', given: [given] }, never);
      await expect(sent).rejects.toMatchObject({ code: 'bad-input' });
    }
  });
});
