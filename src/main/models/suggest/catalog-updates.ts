import { createPublicKey, verify } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { CatalogUpdate } from '@shared/contract/models-contract.ts';
import { AppError } from '@shared/errors.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { downloadList, mostDownloadBytes } from '../../lib/net/list-download.ts';
import { parseOffered } from './offered-models.ts';
import type { OfferedCatalog, OfferedModel } from './offered-models.ts';

/**
 * The public half of the key pair that signs catalogs, as `node scripts/catalog.mjs key FILE` prints it. Null: no
 * maintainer has made a key, so no catalog can be verified and every update is refused. The private half is in no
 * repository.
 */
export const catalogKey: string | null = null;

const signedSchema = z.strictObject({
  format: z.literal('dewpoint-catalog-1'),
  /** Increases with each published catalog. */
  revision: z.number().int().positive(),
  catalog: z.unknown(),
  /** Ed25519 in base64, over the canonical JSON of all other fields. */
  signature: z.string(),
});
type Signed = z.infer<typeof signedSchema>;

/** The catalog of models: the one that came with the program, or a newer signed one. */
export interface CatalogUpdates {
  readonly current: () => Promise<OfferedCatalog>;
  /**
   * Checks a signed catalog, by its full path or https address, and uses it only if `apply` is true. Throws
   * `AppError` with what is wrong; the current catalog then stays.
   */
  readonly update: (source: string, apply: boolean, signal: AbortSignal) => Promise<CatalogUpdate>;
  /** Returns to the catalog that came with the program. */
  readonly reset: () => Promise<CatalogUpdate>;
}

export interface CatalogUpdatesOptions {
  readonly builtIn: OfferedCatalog;
  /** Where the signed file is kept. It is verified again at each start. */
  readonly path: string;
  readonly key: string | null;
  readonly fetch: typeof fetch;
}

interface Kept {
  readonly revision: number;
  readonly catalog: OfferedCatalog;
}

export function createCatalogUpdates(options: CatalogUpdatesOptions): CatalogUpdates {
  const { builtIn, path, key } = options;
  let kept: Promise<Kept | null> | null = null;
  const here = (): Promise<Kept | null> => (kept ??= readKept(options));
  const current = async (): Promise<OfferedCatalog> => (await here())?.catalog ?? builtIn;
  return {
    current,
    async update(source, apply, signal) {
      const signed = parseSigned(await readSource(source, options.fetch, signal));
      const next = checked(signed, key);
      refuseOlder(next, await here(), builtIn);
      const before = await current();
      const isNew = canonicalJson(next.catalog) !== canonicalJson(before);
      if (apply) {
        await writeJsonFile(path, signed);
        kept = Promise.resolve(next);
      }
      return described(next, isNew ? changesOf(before, next.catalog) : [], apply);
    },
    async reset() {
      const before = await current();
      await rm(path, { force: true });
      kept = Promise.resolve(null);
      return described({ revision: null, catalog: builtIn }, changesOf(before, builtIn), true);
    },
  };
}

function described(
  { revision, catalog }: { readonly revision: number | null; readonly catalog: OfferedCatalog },
  changes: readonly string[],
  isTaken: boolean,
): CatalogUpdate {
  return { date: catalog.date, revision, models: catalog.models.length, changes, isTaken };
}

/** Reads the kept catalog. Returns null if it is older than the program's own, or its signature is not valid. */
async function readKept({ path, key, builtIn }: CatalogUpdatesOptions): Promise<Kept | null> {
  const file = await readJsonFile(path, (value) => checked(signedSchema.parse(value), key));
  return file.type === 'value' && file.value.catalog.date >= builtIn.date ? file.value : null;
}

async function readSource(source: string, get: typeof fetch, signal: AbortSignal): Promise<string> {
  if (/^https:\/\//iu.test(source)) return downloadList(source, { fetch: get, signal, kept });
  if (!isAbsolute(source))
    throw refused('A catalog comes from an https address or a file.', 'Use the full path of the file.');
  try {
    const { size } = await stat(source);
    if (size > mostDownloadBytes) throw refused('The file is too large for a catalog.', 'Check its name.');
    return await readFile(source, { encoding: 'utf8', signal });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('not-found', `${source} cannot be read. ${kept}`, { cause: error });
  }
}

function parseSigned(text: string): Signed {
  try {
    return signedSchema.parse(JSON.parse(text));
  } catch {
    throw refused('This is not a signed catalog.', 'Use a file that the maintainers of Dewpoint publish.');
  }
}

function checked(signed: Signed, key: string | null): Kept {
  if (key === null)
    throw refused('This Dewpoint has no key to check a catalog with.', 'A newer Dewpoint brings a newer catalog.');
  const { signature, ...said } = signed;
  const isSigned = verify(
    null,
    Buffer.from(canonicalJson(said)),
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64'),
  );
  if (!isSigned)
    throw refused('The signature does not fit this catalog: it was changed, or others made it.', 'Download it again.');
  try {
    return { revision: signed.revision, catalog: parseOffered(signed.catalog) };
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const what = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message.slice(0, 120)})`;
    throw refused(`This Dewpoint cannot read the catalog${what}.`, 'Update Dewpoint.');
  }
}

function refuseOlder({ revision, catalog }: Kept, before: Kept | null, builtIn: OfferedCatalog): void {
  if (before !== null && revision < before.revision)
    throw refused(
      `This catalog is older than yours: revision ${revision}, and yours is ${before.revision}.`,
      'To go back to the one that came with Dewpoint: dewpoint models catalog reset',
    );
  if (catalog.date < builtIn.date)
    throw refused(
      `This catalog is older than the one that came with Dewpoint: ${catalog.date}, and that one is from ${builtIn.date}.`,
      'Get a newer one.',
    );
}

/** One line for each model that was added or removed, and for each changed model the parts that changed. */
function changesOf(before: OfferedCatalog, next: OfferedCatalog): readonly string[] {
  const old = new Map(before.models.map((model) => [model.id, model]));
  const now = new Map(next.models.map((model) => [model.id, model]));
  return [
    ...next.models.filter(({ id }) => !old.has(id)).map(({ label }) => `new: ${label}`),
    ...before.models.filter(({ id }) => !now.has(id)).map(({ label }) => `gone: ${label}`),
    ...next.models.flatMap((model) => {
      const parts = changedParts(old.get(model.id), model);
      return parts.length === 0 ? [] : [`changed: ${model.label} (${parts.join(', ')})`];
    }),
  ];
}

function changedParts(before: OfferedModel | undefined, next: OfferedModel): readonly string[] {
  if (before === undefined) return [];
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(next));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.filter((name) => canonicalJson([old.get(name)]) !== canonicalJson([now.get(name)]));
}

const kept = 'Your catalog is as it was.';

function refused(message: string, hint: string): AppError {
  return new AppError('bad-input', `${message} ${kept}`, { hint });
}
