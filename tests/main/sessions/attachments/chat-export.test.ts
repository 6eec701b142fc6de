import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChats, readChats } from '../../../../src/main/sessions/attachments/chat-export.ts';
import { jsonElements } from '../../../../src/main/sessions/attachments/json-elements.ts';
import { zipFile } from '../../../fakes/zip-file.ts';

const never = new AbortController().signal;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-chat-export-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const talk = (name: string, month: number, text = `About ${name}.`) => ({
  uuid: name,
  name,
  created_at: `2026-0${month}-03T04:05:06.789Z`,
  updated_at: `2026-0${month}-04T04:05:06.789Z`,
  chat_messages: [
    { sender: 'human', text },
    { sender: 'assistant', text: 'Yes.' },
  ],
});
const titles = (listing: Awaited<ReturnType<typeof listChats>>) => listing?.conversations.map(({ title }) => title);

async function elementsOf(text: string, step: number, most = 1_000_000): Promise<readonly (string | null)[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  const found: (string | null)[] = [];
  for await (const one of jsonElements(pieces(), most)) found.push(one);
  return found;
}

describe('the objects of a JSON array', () => {
  /** Catches: an object that is cut at the end of a chunk: in a character, in a string or after a backslash. */
  it('are read the same however the file is cut', async () => {
    const values = [{ a: 'x"}]{[\\' }, { b: [{ c: 'é😀\n' }, []] }, {}, { d: '\\"' }];
    const text = `\uFEFF [ ${values.map((one) => JSON.stringify(one, null, 1)).join(' ,\n')} ] {"behind": 1}`;
    for (const step of [1, 2, 3, 7, 1000]) {
      const found = await elementsOf(text, step);
      expect(found.map((one) => JSON.parse(one ?? 'null'))).toEqual(values);
    }
    expect(await elementsOf('{"alone": [{}]} {"other": 1}', 4)).toEqual(['{"alone": [{}]}']);
  });

  /** Catches: a file that is read into memory as a whole before its first item is used. */
  it('are each returned before the rest of the file is read', async () => {
    let read = 0;
    async function* pieces() {
      for (const text of ['[{"a": ', '1}, {"b"', ': 2}', ', {"c": 3}]']) {
        read += 1;
        yield Buffer.from(text);
      }
    }
    const elements = jsonElements(pieces(), 1000);
    expect(await elements.next()).toEqual({ done: false, value: '{"a": 1}' });
    expect(read).toBe(2);
    expect(await elements.next()).toEqual({ done: false, value: '{"b": 2}' });
    expect(read).toBe(3);
  });

  it('are absent in other files, and null where one is too large or has no end', async () => {
    for (const other of ['', 'text', '"{}"', '7', '[]', '[1, "{}", [{"in": 1}]]', ']{}'])
      expect(await elementsOf(other, 2)).toEqual([]);
    expect(await elementsOf('[{"a": 1}, {"b": "cut', 3)).toEqual(['{"a": 1}', null]);
    expect(await elementsOf(`[{"a":"${'x'.repeat(50)}"},{"b":2}]`, 5, 20)).toEqual([null, '{"b":2}']);
  });
});

describe('an export of a chat app', () => {
  it('is listed newest first, and chosen chats keep the order of the choice', async () => {
    const path = join(folder, 'conversations.json');
    const empty = { ...talk('nothing', 5), chat_messages: [] };
    await writeFile(
      path,
      JSON.stringify([talk('rivers', 1), talk('lakes', 3), empty, { foreign: true }, talk('seas', 2)]),
    );
    const listing = await listChats({ path }, never);
    expect(titles(listing)).toEqual(['lakes', 'seas', 'rivers']);
    expect(listing?.unread).toBe(1);
    const [lakes, , rivers] = listing?.conversations ?? [];
    expect(lakes).toMatchObject({
      app: 'Claude',
      messages: 2,
      bytes: 16,
      changedMs: Date.UTC(2026, 2, 4, 4, 5, 6, 789),
    });
    const read = await readChats({ path }, [rivers?.id ?? '', lakes?.id ?? ''], never);
    expect(read.map(({ title }) => title)).toEqual(['rivers', 'lakes']);
    expect(read[0]?.text).toContain('## User\n\nAbout rivers.');
    await writeFile(path, JSON.stringify([talk('lakes', 3)]));
    await expect(readChats({ path }, [rivers?.id ?? ''], never)).rejects.toMatchObject({ code: 'conflict' });
  });

  /** Catches: a service's archive that is refused, or of whose files only one is read. */
  it("is read from the service's archive with all its files of conversations", async () => {
    const archive = zipFile({
      'export/conversations-000.json': Buffer.from(JSON.stringify([talk('rivers', 1)])),
      'export/conversations-001.json': Buffer.from(JSON.stringify([talk('lakes', 2)])),
      'export/user.json': Buffer.from(JSON.stringify([talk('hidden', 3)])),
      'export/picture.png': Buffer.alloc(2000, 1),
    });
    const path = join(folder, 'export.zip');
    await writeFile(path, archive);
    expect(titles(await listChats({ path }, never))).toEqual(['lakes', 'rivers']);
    expect(titles(await listChats({ bytes: archive }, never))).toEqual(['lakes', 'rivers']);
    await writeFile(path, archive.subarray(0, 900));
    await expect(listChats({ path }, never)).rejects.toMatchObject({ code: 'bad-input' });
  });

  /** Catches: a small archive whose unpacked content takes an hour to read, in one file or in many. */
  it('is refused before reading when it is larger than any export', async () => {
    const one = Buffer.from(JSON.stringify([talk('rivers', 1)]));
    const files = { 'conversations-0.json': one, 'conversations-1.json': one, 'picture.png': Buffer.alloc(4000) };
    const path = join(folder, 'conversations.json');
    await writeFile(path, one);
    for (const source of [{ bytes: zipFile(files) }, { bytes: Buffer.concat([one, one]) }]) {
      expect(titles(await listChats({ ...source, mostBytes: one.length * 2 }, never))).toContain('rivers');
      const refused = listChats({ ...source, mostBytes: one.length * 2 - 1 }, never);
      await expect(refused).rejects.toMatchObject({
        code: 'too-large',
        message: `The export has more than ${one.length * 2 - 1} B of conversations. Nothing was attached.`,
      });
    }
    await expect(listChats({ path, mostBytes: one.length - 1 }, never)).rejects.toMatchObject({ code: 'too-large' });
  });

  it('is recognized as no export when it is another file', async () => {
    const path = join(folder, 'other.json');
    for (const text of ['', 'x', '{"name": "app"}', JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id })))]) {
      await writeFile(path, text);
      expect(await listChats({ path }, never)).toBeNull();
    }
    expect(await listChats({ bytes: zipFile({ 'a.txt': Buffer.from('x') }) }, never)).toBeNull();
    await mkdir(join(folder, 'inside'));
    await expect(listChats({ path: join(folder, 'inside') }, never)).rejects.toMatchObject({ code: 'bad-input' });
    await expect(listChats({ path: join(folder, 'gone') }, never)).rejects.toMatchObject({ code: 'not-found' });
  });

  /** Catches: an export that cannot be stopped. */
  it('is not read to its end when it is stopped', async () => {
    const path = join(folder, 'long.json');
    await writeFile(path, JSON.stringify(Array.from({ length: 500 }, (_, index) => talk(`talk ${index}`, 1))));
    const stop = new AbortController();
    const stopped = listChats({ path }, stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
  });
});
