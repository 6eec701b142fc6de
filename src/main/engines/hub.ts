import { z } from 'zod';
import { failure, messageOf, success, toFailure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { createGgufParse, ggufLimits } from './gguf-parse.ts';
import type { ModelFacts } from './model-memory.ts';

/** `hf:OWNER/REPO`, with `:QUANTISATION` or `/FILE.gguf`. */
export interface HubName {
  readonly repository: string;
  readonly quantisation: string | null;
  readonly file: string | null;
}

/** A model file of a repository. */
export interface HubFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** As its name says it: `Q4_K_M`; null where it says nothing. */
  readonly quantisation: string | null;
}

export interface HubRepository {
  readonly repository: string;
  readonly licence: string | null;
  /** Its files are given to people who accepted its terms. */
  readonly isGated: boolean;
  /** Whole models in one file each, the smallest first. */
  readonly files: readonly HubFile[];
  /** Quantisations that are there in several files only. */
  readonly inParts: readonly string[];
}

/** A hub of models as `HF_ENDPOINT` names it, asked with `HF_TOKEN`. */
export interface Hub {
  readonly read: (repository: string, signal: AbortSignal) => Promise<Reply<HubRepository>>;
  /** The header of a file that is not here: its first megabytes are read. */
  readonly header: (file: HubFile, repository: string, signal: AbortSignal) => Promise<Reply<ModelFacts>>;
}

interface HubOptions {
  readonly fetch: typeof fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Null for an id of something else. */
export function hubNameOf(id: string): HubName | null {
  const match = /^hf:([\w.-]+\/[\w.-]+)(?::([\w.-]+)|\/(.+\.gguf))?$/u.exec(id);
  return match?.[1] === undefined
    ? null
    : { repository: match[1], quantisation: match[2] ?? null, file: match[3] ?? null };
}

/** Where a hub is, and who asks it. */
export function hubAddress(env: HubOptions['env']): { readonly endpoint: string; readonly token: string | null } {
  const endpoint = (env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/\/+$/u, '');
  return { endpoint, token: env.HF_TOKEN ?? null };
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

export function createHub({ fetch: ask, env }: HubOptions): Hub {
  const get = async (path: string, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}) => {
    const { endpoint, token } = hubAddress(env);
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    return ask(`${endpoint}/${path}`, { signal, headers: { ...authorization, ...headers } });
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
    async header({ path, sizeBytes }, repository, signal) {
      try {
        const parse = createGgufParse();
        let bytes = Buffer.alloc(0);
        let upTo = firstBytes;
        for (;;) {
          const end = Math.min(upTo, sizeBytes);
          const range = `bytes=${bytes.length}-${end - 1}`;
          const response = await get(`${repository}/resolve/main/${path}`, signal, { range });
          // A source that knows no ranges would send all of it.
          if (response.status !== 206) {
            await response.body?.cancel();
            return refused(`${repository}/${path}`, response.status);
          }
          bytes = Buffer.concat([bytes, Buffer.from(await response.arrayBuffer())]);
          const needed = parse.push(bytes);
          if (needed === null) break;
          if (needed > sizeBytes || bytes.length < end)
            return failure('bad-input', `${path} is cut short at its source.`, 'Take another file.');
          upTo = Math.min(Math.max(needed, bytes.length * 4), ggufLimits.headerBytes);
        }
        const { keys, vocabulary, weights } = parse.result();
        return success({ keys, vocabulary, weights });
      } catch (error) {
        return unreachable(error, signal);
      }
    },
  };
}

/** Enough for most headers; what lies behind the vocabulary of the largest takes a second request. */
const firstBytes = 8 * 1024 * 1024;

function repositoryOf(
  repository: string,
  { gated, cardData, siblings }: z.infer<typeof repositorySchema>,
): HubRepository {
  const files: HubFile[] = [];
  const inParts = new Set<string>();
  for (const { rfilename: path, lfs } of siblings) {
    const name = path.split('/').at(-1) ?? path;
    // Projectors and measurements of importance are no models; a name becomes one of a file here.
    if (!/^[\w/. +-]+\.gguf$/u.test(path) || /^(?:mmproj|imatrix|\.)/iu.test(name)) continue;
    const quantisation = quantisationOf(name);
    if (/-\d{5}-of-\d{5}\.gguf$/u.test(name)) inParts.add(quantisation ?? name);
    else if (lfs !== null && lfs !== undefined)
      files.push({ path, sizeBytes: lfs.size, sha256: lfs.sha256, quantisation });
  }
  files.sort((left, right) => left.sizeBytes - right.sizeBytes);
  return {
    repository,
    licence: cardData?.license ?? null,
    isGated: gated !== undefined && gated !== false,
    files,
    inParts: [...inParts],
  };
}

function quantisationOf(name: string): string | null {
  const end = /[-._]((?:UD-)?(?:I?Q\d\w*|TQ\d_\d|MXFP4\w*|BF16|F16|F32))(?:-\d{5}-of-\d{5})?\.gguf$/iu.exec(name);
  return end?.[1]?.toUpperCase() ?? null;
}

/** A hub says "401" of what is not there as well, so that nobody learns which private ones there are. */
function refused(name: string, status: number): Reply<never> {
  if (status === 401 || status === 404)
    return failure(
      'not-found',
      `The hub has no ${name}, or it is private.`,
      'Look at its name; for one that only you may read set HF_TOKEN.',
    );
  if (status === 403)
    return failure(
      'network',
      `${name} is gated: its source wants to know who asks, and that its terms were accepted.`,
      'Accept the terms at the source and set HF_TOKEN.',
    );
  return failure('network', `The hub answered with status ${status} for ${name}.`, 'Try again later.');
}

function unreachable(error: unknown, signal: AbortSignal): Reply<never> {
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return failure('network', 'What answered is no hub of models.', 'Look at HF_ENDPOINT.');
  const known = toFailure(error);
  if (known.code !== 'internal') return { ok: false, error: known };
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
  return failure(
    'network',
    `The hub could not be reached: ${messageOf(error)}${cause}`,
    'Try again when the network is there.',
  );
}
