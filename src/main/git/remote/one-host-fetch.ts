import type { GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import { refusedRedirect } from '../clone/clone-problem.ts';
import type { SendCall } from '../hosting-calls.ts';
import { throughCalls } from '../push-branch.ts';

interface OneHostFetch {
  readonly http: { readonly request: (request: GitHttpRequest) => Promise<GitHttpResponse> };
  readonly corsProxy: '';
  readonly onProgress: (progress: { readonly loaded: number; readonly total: number }) => void;
}

/** Progress is said at every so many objects. */
const atOnce = 500;

/** How the library fetches: from this host and no other, so a redirect is refused. It says how much is unpacked. */
export function oneHostFetch(
  host: string,
  { send, onProgress }: { readonly send: SendCall; readonly onProgress: (progress: CloneStep) => void },
): OneHostFetch {
  let unpacked = 0;
  return {
    http: {
      request: async (request) => {
        const answer = await throughCalls(send, request);
        if (answer.statusCode >= 300 && answer.statusCode < 400)
          throw refusedRedirect(host, answer.headers?.['location']);
        return answer;
      },
    },
    // A setting of the repository may name one.
    corsProxy: '',
    onProgress: ({ loaded, total }) => {
      if (loaded >= unpacked && loaded - unpacked < atOnce) return;
      unpacked = loaded;
      onProgress({ step: 'unpack', done: loaded, total: total > 0 ? total : null });
    },
  };
}
