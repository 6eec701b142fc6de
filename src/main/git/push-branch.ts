import { posix } from 'node:path';
import type { GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import { AppError, messageOf } from '@shared/errors.ts';
import type { HostingAddress } from './hosting-address.ts';
import { refusalOf, type SendCall } from './hosting-calls.ts';
import { currentBranch, loadGit } from './load-git.ts';
import { makeFolders } from './remote/held-files.ts';
import type { Repository } from './repository.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** Pushes exactly this commit to a branch of the remote. Never by force. */
export async function pushBranch(
  repository: Repository,
  {
    address,
    branch,
    commit,
    send,
  }: {
    readonly address: HostingAddress;
    readonly branch: string;
    readonly commit: string;
    readonly send: SendCall;
  },
): Promise<void> {
  const git = await loadGit();
  const { origin, path, host, remote } = address;
  try {
    await git.push({
      ...repository.git,
      fs: { promises: withLooseNotes(repository.files) },
      http: { request: (request: GitHttpRequest) => throughCalls(send, request) },
      url: `${origin}/${path}.git`,
      remote,
      // By its id, because a name may be that of a tag as well, or be moved meanwhile.
      ref: commit,
      remoteRef: `refs/heads/${branch}`,
      // A setting of the repository may name one.
      corsProxy: '',
    });
  } catch (error) {
    throw pushProblem(error, { host, branch, isHere: (await currentBranch(repository)).branch === branch });
  }
}

/**
 * Where the remote is, is noted after the push. An older branch may have the name of a folder of this one, and the push
 * did not fail because of that: the next pull says so.
 */
function withLooseNotes(files: RepositoryFiles): RepositoryFiles {
  return {
    ...files,
    writeFile: async (path, content) => {
      if (!path.startsWith('/git/refs/remotes/')) return files.writeFile(path, content);
      await makeFolders(files, posix.dirname(path))
        .then(() => files.writeFile(path, content))
        .catch(() => undefined);
    },
  };
}

/** A request of the library, made by the one who has the token. */
export async function throughCalls(
  send: SendCall,
  { url, method, headers = {}, body }: GitHttpRequest,
): Promise<GitHttpResponse> {
  const pieces: Uint8Array[] = [];
  if (body !== undefined) for await (const piece of body) pieces.push(piece);
  const answer = await send({
    method: method === 'POST' ? 'POST' : 'GET',
    url: new URL(url),
    headers,
    body: pieces.length === 0 ? null : Buffer.concat(pieces),
  });
  return {
    url,
    statusCode: answer.status,
    statusMessage: '',
    headers: { ...answer.headers },
    body: once(answer.bytes),
  };
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}

interface Refused {
  readonly host: string;
  readonly branch: string;
  /** The branch is checked out, so a pull brings what it lacks. */
  readonly isHere: boolean;
}

function pushProblem(error: unknown, { host, branch, isHere }: Refused): unknown {
  if (!(error instanceof Error) || error instanceof AppError || !('code' in error)) return error;
  const data: unknown = 'data' in error ? error.data : null;
  if (error.code === 'HttpError' && typeof data === 'object' && data !== null && 'statusCode' in data)
    return refusalOf(
      { status: Number(data.statusCode), headers: {} },
      host,
      'response' in data ? String(data.response) : '',
    );
  if (error.code === 'SmartHttpError' || error.code === 'ParseError' || error.code === 'EmptyServerResponseError')
    return new AppError('bad-input', `${host} does not answer like a host of git there.`, {
      hint: 'Look at the address of the remote: git remote -v',
    });
  if (error.code === 'PushRejectedError')
    return new AppError(
      'conflict',
      `The branch ${branch} at ${host} has commits that yours lacks. Nothing was pushed.`,
      {
        hint: isHere
          ? 'Bring them: dewpoint projects pull, and push again. Or use another branch: --branch NAME'
          : `Use another branch: --branch NAME. Or bring them with your own git: git fetch, then merge them into ${branch}.`,
      },
    );
  if (error.code === 'GitPushError')
    return new AppError(
      'refused',
      `${host} did not take the branch ${branch}: ${messageOf(error)
        .replace(/^.*not updated:/u, '')
        .trim()
        .slice(0, 300)}`,
      {
        hint: 'It may be protected, or the host may want signed commits. Use another branch, or sign the commits.',
      },
    );
  return error;
}
