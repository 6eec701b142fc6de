import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { ggufFile } from './gguf-file.ts';

/** A small llama model with a valid header. Its weights are zeros. */
export const tinyModel = (label: string, values: number, more: readonly string[] = []): Buffer =>
  ggufFile({
    keys: [
      ['general.architecture', 'llama'],
      ['general.name', label],
      ...Object.entries({
        block_count: 2,
        context_length: 8192,
        embedding_length: 64,
        feed_forward_length: 128,
        'attention.head_count': 4,
        vocab_size: 1000,
      }).map(([key, value]) => [`llama.${key}`, value] as const),
    ],
    tensors: ['token_embd.weight', ...more].map((name) => ({ name, values })),
  });

/** A repository of one model in several sizes, with the other files that such repositories have. */
export const tinyFiles = {
  'Tiny-Q8_0.gguf': tinyModel('eight', 60_000),
  'Tiny-Q4_K_M.gguf': tinyModel('four', 30_000),
  'Tiny-Q2_K.gguf': tinyModel('two', 15_000),
  'mmproj-Tiny-f16.gguf': tinyModel('projector', 100),
  'F16/Tiny-F16-00001-of-00002.gguf': tinyModel('a half', 100),
  'README.md': Buffer.from('words'),
};

interface HubScene {
  readonly license?: string;
  /** Of its model, as the hub counts them. */
  readonly parameters?: number;
  /** If set, a request for a file without this token gets 403. */
  readonly token?: string;
  readonly files: Readonly<Record<string, Buffer>>;
  /** Files whose checksum in the list is wrong. */
  readonly wrongSums?: readonly string[];
}

export interface ModelHub {
  readonly answer: RequestListener;
  /** The requests in order: paths, with the range if there was one. */
  readonly asked: string[];
  /** The next search gets this body. */
  failNext(body: string): void;
}

/** A model hub that behaves like Hugging Face: lists with sizes and checksums, and files with ranges. */
export function modelHub(repositories: Readonly<Record<string, HubScene>>): ModelHub {
  let wrong: string | null = null;
  const hub: ModelHub = {
    asked: [],
    failNext: (body) => void (wrong = body),
    answer: (request, response) => {
      const url = decodeURIComponent(request.url ?? '');
      const { range } = request.headers;
      hub.asked.push(range === undefined ? url : `${url} ${range}`);
      const listed = /^\/api\/models\/([^/]+\/[^?]+)\?blobs=true$/u.exec(url)?.[1];
      if (listed !== undefined) {
        const scene = repositories[listed];
        // Like Hugging Face: a missing repository and a private one look the same.
        if (scene === undefined) return void response.writeHead(401).end('Invalid username or password.');
        return void response.end(JSON.stringify(listOf(scene)));
      }
      const search = new URL(request.url ?? '', 'http://hub').searchParams;
      if (url.startsWith('/api/models?')) {
        if (wrong !== null) {
          const body = wrong;
          wrong = null;
          return void response.end(body);
        }
        const words = (search.get('search') ?? '').toLowerCase().split(' ');
        const known = Object.entries(repositories).filter(([id]) =>
          words.every((word) => id.toLowerCase().includes(word)),
        );
        return void response.end(JSON.stringify(known.map(([id, one]) => hitOf(id, one))));
      }
      const [, name = '', path = ''] = /^\/([^/]+\/[^/]+)\/resolve\/main\/(.+)$/u.exec(url) ?? [];
      const scene = repositories[name];
      const file = scene?.files[path];
      if (file === undefined) return void response.writeHead(404).end();
      if (scene?.token !== undefined && request.headers.authorization !== `Bearer ${scene.token}`)
        return void response.writeHead(403).end();
      const [, from = '0', to = ''] = /bytes=(\d+)-(\d*)/u.exec(range ?? '') ?? [];
      const end = to === '' ? file.length : Number(to) + 1;
      const part = file.subarray(Number(from), end);
      response.writeHead(range === undefined ? 200 : 206, {
        'content-length': part.length,
        'content-range': `bytes ${from}-${end - 1}/${file.length}`,
      });
      response.end(part);
    },
  };
  return hub;
}

function hitOf(id: string, { token, parameters }: HubScene): object {
  const gguf = parameters === undefined ? {} : { gguf: { total: parameters, architecture: 'llama' } };
  return { _id: 'x', id, downloads: 1200, gated: token === undefined ? false : 'auto', ...gguf };
}

function listOf({ license, token, files, wrongSums = [] }: HubScene): object {
  return {
    gated: token === undefined ? false : 'auto',
    cardData: license === undefined ? {} : { license: license },
    siblings: Object.entries(files).map(([rfilename, content]) => ({
      rfilename,
      size: content.length,
      lfs: {
        sha256: createHash('sha256')
          .update(wrongSums.includes(rfilename) ? 'something else' : content)
          .digest('hex'),
        size: content.length,
      },
    })),
  };
}
