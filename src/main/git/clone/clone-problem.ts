import { AppError, messageOf } from '@shared/errors.ts';
import { refusalOf } from '../hosting-calls.ts';
import type { GitJob } from '../process/git-job.ts';

/** What went wrong with a clone, and what to do about it. */
export function cloneProblem(
  error: unknown,
  { host, branch, hasToken }: Pick<Extract<GitJob, { type: 'clone' }>, 'host' | 'branch' | 'hasToken'>,
): unknown {
  if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT')
    return new AppError('disk-full', 'The disk is full, so the repository does not fit.', {
      hint: 'Free some space. With --depth 1, a clone takes less.',
      cause: error,
    });
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status === 401 || status === 404 || status === 403) return unknownAt(host, { status, hasToken });
  if (status !== null) return refusalOf({ status, headers: {} }, host, '');
  const code = codeOf(error);
  if (code === 'NotFoundError' && branch !== null && messageOf(error).includes(branch))
    return new AppError('not-found', `The repository at ${host} has no branch ${branch}.`);
  if (code === 'NotFoundError' && branch === null && messageOf(error).includes('HEAD'))
    return new AppError('not-found', `The repository at ${host} does not say which branch is its usual one.`, {
      hint: 'Name one: --branch NAME',
    });
  if (code === 'SmartHttpError' || code === 'ParseError' || code === 'EmptyServerResponseError')
    return new AppError('bad-input', `${host} does not answer like a host of git there.`, {
      hint: 'Copy the HTTPS address for a clone from the page of the project.',
    });
  return error;
}

function unknownAt(
  host: string,
  { status, hasToken }: { readonly status: number; readonly hasToken: boolean },
): AppError {
  if (!hasToken)
    return new AppError(
      status === 404 ? 'not-found' : 'missing-key',
      `${host} does not show this repository to everyone, or there is none.`,
      { hint: `Check the address. If it is yours, save a token: dewpoint projects git token ${host}` },
    );
  return new AppError(
    status === 404 ? 'not-found' : 'missing-key',
    `${host} does not show this repository to your token.`,
    {
      hint: `Check the address, or save another token: dewpoint projects git token ${host}`,
    },
  );
}

/** Redirects are not followed: the token would go along, and the person named one host. */
export function refusedRedirect(host: string, location: string | undefined): AppError {
  const place = location === undefined ? null : URL.parse(location);
  const isShown = place !== null && place.username === '' && place.password === '' && place.protocol === 'https:';
  const next = isShown ? `${place.origin}${place.pathname.replace(/\/info\/refs$/u, '')}`.slice(0, 300) : null;
  return new AppError(
    'refused',
    `${host} leads to another address, and Dewpoint goes only to the one that you typed.`,
    {
      hint: next === null ? 'Check the address.' : `If you trust it, clone from there: ${next}`,
    },
  );
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

function statusOf(error: unknown): number | null {
  if (codeOf(error) !== 'HttpError' || !(error instanceof Error) || !('data' in error)) return null;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'statusCode' in data ? Number(data.statusCode) : null;
}
