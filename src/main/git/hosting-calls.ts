import { AppError, valueOf } from '@shared/errors.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { WebAnswer, WebExchange } from '../tools/web/web-request.ts';
import type { HostingAddress } from './hosting-address.ts';

export type SendCall = (call: HostingCall) => Promise<Pick<WebAnswer, 'status' | 'headers' | 'bytes'>>;

/** Calls one host, and no other: redirects are not followed. `token` null: without it. */
export interface HostingCalls {
  readonly send: SendCall;
  /** The answer as JSON. Throws what a person can do about any other answer than the expected ones. */
  readonly json: (method: 'GET' | 'POST', path: string, body?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

interface HostingCall {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

interface CallsOptions {
  readonly exchange: WebExchange;
  readonly signal: AbortSignal;
  readonly login: Readonly<Record<string, string>>;
  /** How many bytes of an answer are here, so far. */
  readonly onReceived?: (bytes: number) => void;
}

export function createHostingCalls(
  { origin, host }: Pick<HostingAddress, 'origin' | 'host'>,
  { exchange, signal, login, onReceived }: CallsOptions,
): HostingCalls {
  const send: HostingCalls['send'] = async (call) => {
    // The settings of a repository could name a proxy, which would get the token.
    if (call.url.origin !== origin)
      throw new AppError('refused', `${host} leads to ${call.url.host}, which was not approved.`);
    const service = { headers: login, isInner: true };
    const how = { signal, onUse: () => undefined, ...(onReceived === undefined ? {} : { onReceived }) };
    const reply = await exchange({ ...call, host, why: '', service }, how);
    const answer = valueOf(reply);
    if (answer.isCut) throw new AppError('too-large', `${host} answered with more than Dewpoint reads.`);
    return answer;
  };
  return {
    send,
    json: async (method, path, body) => {
      const headers = {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const url = new URL(path, origin);
      const answer = await send({ method, url, headers, body: body === undefined ? null : canonicalJson(body) });
      const text = new TextDecoder().decode(answer.bytes);
      if (answer.status >= 200 && answer.status < 300) return parsed(text, host);
      throw refusalOf(answer, host, text);
    },
  };
}

function parsed(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('network', `${host} did not answer in JSON, so it is no GitHub, GitLab or Gitea.`);
  }
}

/** What an answer that is no success means, and what to do. */
export function refusalOf(
  { status, headers }: Pick<WebAnswer, 'status' | 'headers'>,
  host: string,
  text: string,
): AppError {
  const said = saidIn(text);
  const isLimited = status === 429 || (status === 403 && headers['x-ratelimit-remaining'] === '0');
  if (isLimited) {
    const seconds = headers['retry-after'];
    return new AppError('network', `${host} allows no more calls for now.`, {
      hint: seconds === undefined ? 'Try again in an hour.' : `Try again in ${seconds.slice(0, 10)} s.`,
    });
  }
  if (status === 401)
    return new AppError('missing-key', `${host} refused the token.`, {
      hint: `Save a new one: dewpoint projects git token ${host}`,
    });
  if (status === 403)
    return new AppError('refused', `The token may not do this at ${host}.${said}`, {
      hint: 'It needs the right to write to the repository and to its pull or merge requests.',
    });
  if (status === 404)
    return new AppError('not-found', `${host} does not know this, or the token may not see it.${said}`);
  if (status >= 300 && status < 400)
    return new AppError(
      'refused',
      `${host} says that the project moved. Redirects are not followed, because your token would go along.`,
      {
        hint: 'Set the new address: git remote set-url NAME ADDRESS',
      },
    );
  return new AppError('network', `${host} answered with status ${status}.${said}`, {
    hint: 'Run the same command again later.',
  });
}

/** The first words of the host's own message. */
function saidIn(text: string): string {
  const message = /"message"\s?:\s?"([^"]{1,300})"/u.exec(text.slice(0, 5_000))?.[1];
  return message === undefined ? '' : ` It says: ${message}`;
}
