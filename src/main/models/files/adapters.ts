import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { checkAdapter } from '../memory/gguf/check-adapter.ts';
import { readTensors } from '../memory/gguf/read-gguf.ts';
import { sizeOf } from './download/fetch-model.ts';
import type { FileDigests } from './file-digests.ts';
import { adapterName } from './import-model.ts';
import { createNameList } from './name-list.ts';
import type { NameList } from './name-list.ts';
import type { FileToAdd, StoredModel } from './stored-model.ts';

const adapterSchema = z.strictObject({
  path: z.string(),
  sha256: z.string(),
  bytes: z.number().int().nonnegative(),
  /** The digest of the model that it was added to, because it fits only this file. */
  baseSha256: z.string(),
  madeFor: z.string().nullable(),
});
type Adapter = z.infer<typeof adapterSchema>;

/** By the names of the models with adapter: `BASE+NAME`. */
export type AdapterList = NameList<Adapter>;

export const createAdapterList = (path: string): AdapterList =>
  createNameList(path, { entry: adapterSchema, what: 'adapters' });

export interface AdapterParts {
  readonly adapters: AdapterList;
  readonly digests: FileDigests;
}

/** Splits `BASE+NAME`. Null for a name without an adapter. */
function splitAdapterName(name: string): { readonly base: string; readonly adapter: string } | null {
  const plus = name.lastIndexOf('+');
  if (isAbsolute(name) || plus <= 0 || plus === name.length - 1) return null;
  return { base: name.slice(0, plus), adapter: name.slice(plus + 1) };
}

/**
 * Connects an adapter with a model on this machine, by the digests of both. Copies and changes no file. Returns the
 * name of the model with the adapter. Throws `AppError`: `bad-input` if they do not fit, `conflict` if the name is
 * taken.
 */
export async function addAdapter(
  request: FileToAdd,
  base: StoredModel,
  { adapters, digests, signal }: AdapterParts & { readonly signal: AbortSignal },
): Promise<string> {
  const { path } = request;
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Use the full path of the adapter file.');
  const [first, ...rest] = base.files;
  if (!base.isInstalled || base.path === null || first === undefined || isAbsolute(base.name))
    throw new AppError('bad-input', `The model ${base.name} has no name or no file here, so no adapter can be added.`, {
      hint: 'Download or import the model first.',
    });
  if ((await sizeOf(path)) === null) throw new AppError('not-found', `No adapter was found at ${path}.`);
  const { bytes, madeFor } = checkAdapter(await readTensors(path), await readTensors(base.path));
  const whole = `${base.name}+${adapterName(request)}`;
  const before = (await adapters.list()).get(whole);
  if (before !== undefined && before.path !== path)
    throw new AppError('conflict', `The name ${whole} is taken by ${before.path}.`, {
      hint: 'Choose another name with --name NAME, or remove the other one.',
    });
  const sha256 = await digests.of([path], signal);
  const baseSha256 = await digests.of([first, ...rest], signal);
  await adapters.add(whole, { path, sha256, bytes, baseSha256, madeFor });
  return whole;
}

/** The model that consists of a base and an adapter. Null if there is no such adapter. */
export async function findAdapted(
  name: string,
  findBase: (name: string) => Promise<StoredModel | null>,
  { adapters, digests }: AdapterParts,
): Promise<StoredModel | null> {
  const split = splitAdapterName(name);
  const known = split === null ? undefined : (await adapters.list()).get(name);
  if (split === null || known === undefined) return null;
  const { path, sha256, bytes, baseSha256, madeFor } = known;
  const base = await findBase(split.base);
  const size = await sizeOf(path);
  const refusal = (signal: AbortSignal): Promise<string | null> => refusalOf(known, base, { digests, signal });
  return {
    ...(base ?? nothingOf),
    name,
    label: `${base?.label ?? split.base} + ${split.adapter}`,
    isInstalled: base?.isInstalled === true && size !== null,
    isStarter: false,
    path: base?.isInstalled === true ? base.path : null,
    origin: 'adapter',
    place: path,
    files: [path],
    hereBytes: size ?? 0,
    bytes: base === null || base.bytes === null ? null : base.bytes + bytes,
    // Identifies the combination of both files. Findings about it are kept under this digest.
    sha256: createHash('sha256').update(`${baseSha256} ${sha256}`).digest('hex'),
    adapter: { path, name: split.adapter, baseName: split.base, sha256, bytes, madeFor, refusal },
  };
}

async function refusalOf(
  { path, sha256, baseSha256 }: Adapter,
  base: StoredModel | null,
  { digests, signal }: Pick<AdapterParts, 'digests'> & { readonly signal: AbortSignal },
): Promise<string | null> {
  const [first, ...rest] = base?.files ?? [];
  if (base === null || first === undefined) return 'The model of this adapter is not on this machine.';
  if ((await digests.of([path], signal)) !== sha256)
    return `The adapter ${basename(path)} has changed since it was added. Remove it and add it again.`;
  if ((await digests.of([first, ...rest], signal)) !== baseSha256)
    return `The adapter belongs to another file of ${base.name}: the model has changed since. Add the adapter again, or bring the former file back.`;
  return null;
}

const nothingOf = {
  contextTokens: null,
  parametersB: null,
  strategies: ['recipe'],
  efforts: [],
  license: null,
} as const satisfies Partial<StoredModel>;
