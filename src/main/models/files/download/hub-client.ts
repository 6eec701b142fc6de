import { z } from 'zod';
import { AppError, failure, messageOf, success, toFailure, valueOf } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { limitedAnswer, mostListBytes } from '../../../lib/net/limited-answer.ts';
import { createGgufParse, factsOf, ggufLimits } from '../../memory/gguf/parse-gguf.ts';
import type { ParsedGguf } from '../../memory/gguf/parse-gguf.ts';
import type { ModelFacts } from '../../memory/estimate/model-memory.ts';
import { isProjectorName, precisionRank } from '../projectors.ts';
import { partNameOf, partPaths } from '../split-model-files.ts';

/** `hf:OWNER/REPO`, with `:QUANTISATION` or `/FILE.gguf`. */
export interface HubName {
  readonly repository: string;
  readonly quantisation: string | null;
  readonly file: string | null;
}

/** A whole model of a repository, in one file or several. */
export interface HubFile {
  /** The path of its first part. */
  readonly path: string;
  /** Of all parts together. */
  readonly sizeBytes: number;
  /** From its name, such as `Q4_K_M`. Null if the name has none. */
  readonly quantisation: string | null;
  /** In order. Most models have one. */
  readonly parts: readonly HubPart[];
}

interface HubPart {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface HubRepository {
  readonly repository: string;
  readonly license: string | null;
  /** Its files are available only to accounts that accepted its terms. */
  readonly isGated: boolean;
  /** Smallest first. */
  readonly files: readonly HubFile[];
  /** Files with which a model may see images (`mmproj`), smallest first. */
  readonly projectors: readonly HubFile[];
}

/** What the list of a search says of a repository. */
export interface HubHit {
  readonly repository: string;
  readonly downloads: number | null;
  readonly isGated: boolean;
  readonly parameters: number | null;
}

/** The hub at `HF_ENDPOINT`, used with `HF_TOKEN`. */
export interface HubClient {
  readonly read: (repository: string, signal: AbortSignal) => Promise<Reply<HubRepository>>;
  /** Repositories that hold GGUF files and have the words in their names, the most downloaded first. */
  readonly search: (words: string, signal: AbortSignal) => Promise<Reply<readonly HubHit[]>>;
  /** Reads the header of a model that is not here, from the first megabytes of its files. */
  readonly header: (file: HubFile, repository: string, signal: AbortSignal) => Promise<Reply<ModelFacts>>;
}

interface HubOptions {
  readonly fetch: typeof fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Null for an id of another kind. Dots alone are no name: in an address they would lead elsewhere on the hub. */
export function hubNameOf(id: string): HubName | null {
  const match = /^hf:((?!\.{1,2}\/)[\w.-]+\/(?!\.{1,2}(?:[:/]|$))[\w.-]+)(?::([\w.-]+)|\/(.+\.gguf))?$/u.exec(id);
  return match?.[1] === undefined
    ? null
    : { repository: match[1], quantisation: match[2] ?? null, file: match[3] ?? null };
}

/** The hub's address, and the token to use. */
export function hubAddress(env: HubOptions['env']): { readonly endpoint: string; readonly token: string | null } {
  const endpoint = (env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/(?<!\/)\/+$/u, '');
  const token = env.HF_TOKEN ?? '';
  return { endpoint, token: token === '' ? null : token };
}

const repositorySchema = z.object({
  gated: z.union([z.boolean(), z.string()]).optional(),
  cardData: z.object({ license: z.string().optional() }).nullish(),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.number().optional(),
      lfs: z.object({ sha256: z.string(), size: z.number() }).nullish(),
    }),
  ),
});

const hitsSchema = z.array(
  z.object({
    id: z.string(),
    downloads: z.number().optional(),
    gated: z.union([z.boolean(), z.string()]).optional(),
    gguf: z.object({ total: z.number().positive().optional() }).nullish(),
  }),
);

const mostHits = 20;

export function createHubClient({ fetch: ask, env }: HubOptions): HubClient {
  const get: Get = async (path, signal, headers = {}) => {
    const { endpoint, token } = hubAddress(env);
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await ask(`${endpoint}/${path}`, { signal, headers: { ...authorization, ...headers } });
    return limitedAnswer(response, Math.max(mostListBytes, ggufLimits.headerBytes));
  };
  return {
    async read(repository, signal) {
      try {
        const response = await get(`api/models/${repository}?blobs=true`, signal);
        if (!response.ok) return refused(repository, response.status);
        return success(repositoryOf(repository, repositorySchema.parse(await response.json())));
      } catch (error) {
        return unreachable(error, signal);
      }
    },
    async search(words, signal) {
      const asked: [string, string][] = [
        ['search', words],
        ['filter', 'gguf'],
        ['sort', 'downloads'],
        ['direction', '-1'],
        ['limit', String(mostHits)],
        ...['downloads', 'gated', 'gguf'].map((field): [string, string] => ['expand[]', field]),
      ];
      try {
        const response = await get(`api/models?${new URLSearchParams(asked).toString()}`, signal);
        if (!response.ok)
          return failure('network', `The hub answered with status ${response.status}.`, 'Try again later.');
        return success(hitsOf(hitsSchema.parse(await response.json())));
      } catch (error) {
        return unreachable(error, signal);
      }
    },
    async header({ parts }, repository, signal) {
      try {
        const headers: ParsedGguf[] = [];
        for (const part of parts) headers.push(await readHeader(get, { part, repository }, signal));
        const [first, ...others] = headers;
        return first === undefined ? refused(repository, 404) : success(factsOf(first, others));
      } catch (error) {
        return unreachable(error, signal);
      }
    },
  };
}

type Get = (path: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>) => Promise<Response>;

/** Enough for most headers. If the vocabulary is very large, a second request follows. */
const firstBytes = 8 * 1024 * 1024;
/** Enough for a projector and for the other files of a model, which have no vocabulary. */
const otherBytes = 256 * 1024;

/** Throws `AppError` if there is no header, and network errors. */
async function readHeader(
  get: Get,
  { part, repository }: { readonly part: HubPart; readonly repository: string },
  signal: AbortSignal,
): Promise<ParsedGguf> {
  const { path, sizeBytes } = part;
  const parse = createGgufParse();
  let bytes = Buffer.alloc(0);
  let upTo = (partNameOf(path)?.number ?? 1) === 1 && !isProjectorName(path) ? firstBytes : otherBytes;
  for (;;) {
    const end = Math.min(upTo, sizeBytes);
    const response = await get(`${repository}/resolve/main/${path}`, signal, {
      range: `bytes=${bytes.length}-${end - 1}`,
    });
    // A source that ignores the range would send the whole file.
    if (response.status !== 206) {
      await response.body?.cancel();
      valueOf(refused(`${repository}/${path}`, response.status));
    }
    bytes = Buffer.concat([bytes, Buffer.from(await response.arrayBuffer())]);
    const needed = parse.push(bytes);
    if (needed === null) return parse.result();
    if (needed > sizeBytes || bytes.length < end)
      throw new AppError('bad-input', `${path} is cut off at its source.`, { hint: 'Choose another file.' });
    upTo = Math.min(Math.max(needed, bytes.length * 4), ggufLimits.headerBytes);
  }
}

function hitsOf(listed: z.infer<typeof hitsSchema>): readonly HubHit[] {
  return listed
    .filter(({ id }) => hubNameOf(`hf:${id}`)?.repository === id)
    .slice(0, mostHits)
    .map(({ id, downloads, gated, gguf }) => ({
      repository: id,
      downloads: downloads ?? null,
      isGated: gated !== undefined && gated !== false,
      parameters: gguf?.total ?? null,
    }));
}

function repositoryOf(
  repository: string,
  { gated, cardData, siblings }: z.infer<typeof repositorySchema>,
): HubRepository {
  const listed = new Map<string, HubPart>();
  for (const { rfilename: path, lfs } of siblings) {
    const name = path.split('/').at(-1) ?? path;
    // Skips importance matrices, which are not models. The name must be safe, because it becomes a local file name.
    if (!/^[\w/. +-]+\.gguf$/u.test(path) || /^(?:imatrix|\.)/iu.test(name)) continue;
    if (lfs !== null && lfs !== undefined) listed.set(path, { path, sizeBytes: lfs.size, sha256: lfs.sha256 });
  }
  const all = [...listed.keys()].flatMap((path) => modelAt(path, listed) ?? []);
  all.sort((left, right) => left.sizeBytes - right.sizeBytes || precisionRank(left.path) - precisionRank(right.path));
  const isProjector = ({ path }: HubFile): boolean => isProjectorName(path.split('/').at(-1) ?? path);
  return {
    repository,
    license: cardData?.license ?? null,
    isGated: gated !== undefined && gated !== false,
    files: all.filter((file) => !isProjector(file)),
    projectors: all.filter((file) => isProjector(file) && file.parts.length === 1),
  };
}

/** The model that starts with this file. Null if it is not a first file, or if one of its files is not listed. */
function modelAt(path: string, listed: ReadonlyMap<string, HubPart>): HubFile | null {
  const name = partNameOf(path);
  if (name !== null && name.number !== 1) return null;
  const paths = name === null ? [path] : partPaths(name);
  const parts = paths.flatMap((one) => listed.get(one) ?? []);
  if (parts.length < paths.length) return null;
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  return { path, sizeBytes, quantisation: quantisationOf(path), parts };
}

function quantisationOf(name: string): string | null {
  const end = /[-._]((?:UD-)?(?:I?Q\d\w*|TQ\d_\d|MXFP4\w*|BF16|F16|F32))(?:-\d{5}-of-\d{5})?\.gguf$/iu.exec(name);
  return end?.[1]?.toUpperCase() ?? null;
}

/**
 * A hub also answers 401 for repositories that do not exist, so that nobody can find out the names of private ones.
 */
function refused(name: string, status: number): Reply<never> {
  if (status === 401 || status === 404)
    return failure(
      'not-found',
      `The hub has no ${name}, or it is private.`,
      'Check the name. For a private repository, set HF_TOKEN.',
    );
  if (status === 403)
    return failure(
      'network',
      `${name} is gated: its source needs a token, and you must accept its terms.`,
      'Accept the terms at the source and set HF_TOKEN.',
    );
  return failure('network', `The hub answered with status ${status} for ${name}.`, 'Try again later.');
}

function unreachable(error: unknown, signal: AbortSignal): Reply<never> {
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return failure('network', 'The server that answered is not a model hub.', 'Check HF_ENDPOINT.');
  const known = toFailure(error);
  if (known.code !== 'internal') return { ok: false, error: known };
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
  return failure(
    'network',
    `The hub could not be reached: ${messageOf(error)}${cause}`,
    'Try again when you are online.',
  );
}
