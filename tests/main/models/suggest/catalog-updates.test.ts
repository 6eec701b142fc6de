import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, signCatalog } from '../../../../scripts/catalog.mjs';
import { catalogKey, createCatalogUpdates } from '../../../../src/main/models/suggest/catalog-updates.ts';
import type { CatalogUpdates } from '../../../../src/main/models/suggest/catalog-updates.ts';
import { parseOffered } from '../../../../src/main/models/suggest/offered-models.ts';
import type { OfferedCatalog } from '../../../../src/main/models/suggest/offered-models.ts';

const never = new AbortController().signal;
/** A key for this run only. Nobody has the private half of the real one. */
const pair = makeKey();
let dir: string;
let builtIn: OfferedCatalog;
let newer: OfferedCatalog;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-catalog-'));
  builtIn = parseOffered(JSON.parse(await readFile('resources/catalog.json', 'utf8')));
  const [first, second, ...rest] = builtIn.models;
  if (first === undefined || second === undefined) throw new Error('the catalog is empty');
  const added = { ...first, id: 'new-model', label: 'New model' };
  newer = { ...builtIn, date: '2027-01-01', models: [{ ...second, note: 'Changed.' }, ...rest, added] };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (key: string | null = pair.publicKey, get: typeof fetch = fetch): CatalogUpdates =>
  createCatalogUpdates({ builtIn, path: join(dir, 'kept.json'), key, fetch: get });

async function file(content: unknown): Promise<string> {
  const path = join(dir, 'update.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const refusalOf = async (updates: CatalogUpdates, content: unknown): Promise<string> =>
  updates.update(await file(content), true, never).then(
    () => 'taken',
    (error: unknown) => String(error),
  );

describe('a signed catalog', () => {
  it('is shown first, is used after a yes, also after a restart, and can be reset', async () => {
    const updates = open();
    const path = await file(signCatalog(newer, 3, pair.privatePem));
    const changes = [
      'new: New model',
      `gone: ${builtIn.models[0]?.label}`,
      `changed: ${builtIn.models[1]?.label} (note)`,
    ];
    const seen = { date: '2027-01-01', revision: 3, changes };
    expect(await updates.update(path, false, never)).toMatchObject({ ...seen, isTaken: false });
    expect((await updates.current()).date).toBe(builtIn.date);
    expect(await updates.update(path, true, never)).toMatchObject({ ...seen, isTaken: true });
    expect((await updates.current()).date).toBe('2027-01-01');
    expect((await open().current()).models.at(-1)?.id).toBe('new-model');
    expect(await updates.update(path, true, never)).toMatchObject({ changes: [] });
    expect(await updates.reset()).toMatchObject({ revision: null, date: builtIn.date });
    expect((await open().current()).date).toBe(builtIn.date);
  });

  it('is refused when it was changed, has another signature or form, or is older', async () => {
    const updates = open();
    const signed = signCatalog(newer, 5, pair.privatePem);
    expect(await refusalOf(updates, { ...signed, revision: 6 })).toContain('The signature does not fit');
    expect(await refusalOf(updates, { ...signed, catalog: { ...newer, date: '2027-02-01' } })).toContain('signature');
    expect(await refusalOf(updates, signCatalog(newer, 5, makeKey().privatePem))).toContain('signature');
    expect(await refusalOf(updates, { ...signed, signature: '' })).toContain('signature');
    expect(await refusalOf(updates, 'not JSON')).toContain('not a signed catalog');
    expect(await refusalOf(updates, signCatalog({ ...newer, more: 1 }, 5, pair.privatePem))).toContain('cannot read');
    const old = { ...newer, date: '2026-01-01' };
    expect(await refusalOf(updates, signCatalog(old, 9, pair.privatePem))).toContain('older than the one that came');
    expect(await refusalOf(updates, signed)).toBe('taken');
    expect(await refusalOf(updates, signCatalog(newer, 4, pair.privatePem))).toContain('revision 4, and yours is 5');
    await expect(updates.update('http://example.org/catalog.json', false, never)).rejects.toThrow('https address');
    expect((await updates.current()).date).toBe('2027-01-01');
  });

  it('is refused by a program without a key', async () => {
    expect(catalogKey).toBeNull();
    expect(await refusalOf(open(null), signCatalog(newer, 1, pair.privatePem))).toContain('has no key');
  });

  it('is ignored when its file is damaged or the program is newer', async () => {
    const path = join(dir, 'kept.json');
    await writeFile(path, JSON.stringify({ ...signCatalog(newer, 3, pair.privatePem), revision: 8 }));
    expect((await open().current()).date).toBe(builtIn.date);
    await writeFile(path, JSON.stringify(signCatalog({ ...newer, date: '2026-01-01' }, 3, pair.privatePem)));
    expect((await open().current()).date).toBe(builtIn.date);
  });

  it('can come from an address, with a limit of size', async () => {
    const answers: Record<string, string> = {
      '/catalog.json': JSON.stringify(signCatalog(newer, 2, pair.privatePem)),
      '/large.json': 'x'.repeat(9 * 1024 * 1024),
    };
    const server = createServer((request, response) => {
      const body = answers[request.url ?? ''];
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const plain: typeof fetch = (input, init) =>
      fetch(
        (input instanceof Request ? input.url : input.toString()).replace(
          'https://catalogs.example',
          `http://127.0.0.1:${port}`,
        ),
        init,
      );
    const updates = open(pair.publicKey, plain);
    const get = (name: string) => updates.update(`https://catalogs.example/${name}`, false, never);
    expect(await get('catalog.json')).toMatchObject({ revision: 2 });
    await expect(get('large.json')).rejects.toThrow('too large');
    await expect(get('none.json')).rejects.toThrow('answered 404');
    server.closeAllConnections();
    server.close();
    await expect(get('catalog.json')).rejects.toThrow('could not be reached');
  });
});
