import { AppError } from '@shared/errors.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { z } from 'zod';
import { sleep } from '../../lib/async/abort.ts';
import { mustBeUsable } from './auth-fetch.ts';
import { clientForm } from './client-form.ts';
import type { SignIn } from './kept-sign-ins.ts';
import type { Oauth } from './oauth-errors.ts';
import { tokensOf } from './refresh-sign-in.ts';
import type { FlowOptions, OpenSignIn, Ready } from './sign-in-flow.ts';
import { finishSignIn, readySignIn } from './sign-in-flow.ts';
import { jsonIn } from '@shared/text/json-in.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

const answerSchema = z.object({
  device_code: z.string().min(1).max(4_000),
  /** The user reads, compares and types this code. */
  user_code: z.string().regex(/^[\x21-\x7e][\x20-\x7e]{0,63}$/u),
  verification_uri: z.string().max(2_000),
  expires_in: z.number().positive(),
  interval: z.number().nonnegative().optional(),
});

const tokensSchema = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.number().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
});

/** Limits for polling the service, whatever it asks for: the interval, and the total time. */
const leastSeconds = 1;
const usualSeconds = 5;
const mostSeconds = 60;
const longestSeconds = 30 * 60;

export interface DeviceWays {
  readonly signal: AbortSignal;
  readonly onOpen: (open: OpenSignIn) => void;
  /** Length of a second in milliseconds. Tests make it short. */
  readonly secondMs: number;
}

/**
 * Signs in without a browser on this machine (RFC 8628): the user opens an address on any device and types a code, and
 * Dewpoint polls the service until it accepts or refuses. Rejects with an `AppError`. Stores nothing itself.
 */
export async function runDeviceSignIn(oauth: Oauth, options: FlowOptions, ways: DeviceWays): Promise<SignIn> {
  return finishSignIn(oauth, options, async (learn) => {
    const way = { grants: [grantType], redirectUrl: anyPort };
    const check = (offered: unknown): void => void deviceEndpoint(offered, options.server);
    const ready = await readySignIn(oauth, { ...options, learn }, { ...way, check });
    const { metadata } = ready.found;
    const { endpoint, host } = deviceEndpoint(metadata, options.server);
    const post = poster(oauth, options, ready);
    const scope = ready.scope === null ? {} : { scope: ready.scope };
    const { status, value } = await post(endpoint, scope);
    const answer = answerSchema.safeParse(value);
    if (status !== 200 || !answer.success) throw new AppError('network', notStarted(host, status, value));
    const { device_code: code, user_code: userCode, verification_uri: address, interval } = answer.data;
    learn(code);
    const url = URL.parse(address);
    if (url === null) throw new AppError('refused', `${host} names no address to sign in at.`);
    mustBeUsable(url, options.place);
    const scopes = ready.scope === null ? [] : ready.scope.split(' ');
    ways.onOpen({ url: url.href, issuer: metadata.issuer, scopes, code: userCode });
    const everySeconds = Math.min(mostSeconds, Math.max(leastSeconds, interval ?? usualSeconds));
    const ask = () => post(metadata.token_endpoint, { grant_type: grantType, device_code: code });
    const seconds = Math.min(longestSeconds, answer.data.expires_in);
    const tokens = await poll(ask, { ...ways, host, everySeconds, seconds });
    return { ready, tokens, at: tokensOf(tokens, options.now(), learn) };
  });
}

/** Registering a client requires a redirect address, although no browser comes back here. */
const anyPort = 'http://127.0.0.1/callback';

function deviceEndpoint(metadata: unknown, server: string): { readonly endpoint: string; readonly host: string } {
  const host = new URL(String(fieldOf(metadata, 'issuer'))).host;
  const endpoint = fieldOf(metadata, 'device_authorization_endpoint');
  if (typeof endpoint === 'string') return { endpoint, host };
  throw new AppError('refused', `${host} offers no sign-in by a code.`, {
    hint: `Sign in by a browser: dewpoint tools sign-in ${server}`,
  });
}

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

type Post = (address: string, fields: Readonly<Record<string, string>>) => Promise<Answer>;

function poster(oauth: Oauth, { reach }: FlowOptions, { found: { metadata, resource }, client }: Ready): Post {
  const methods = metadata.token_endpoint_auth_methods_supported;
  return async (address, fields) => {
    const all = { ...fields, ...(resource === null ? {} : { resource }) };
    const response = await reach(address, clientForm(oauth, { client, methods, fields: all }));
    return { status: response.status, value: jsonIn(await response.text()) };
  };
}

interface Polling extends DeviceWays {
  readonly host: string;
  readonly everySeconds: number;
  readonly seconds: number;
}

async function poll(
  ask: () => Promise<Answer>,
  { signal, secondMs, host, everySeconds, seconds }: Polling,
): Promise<z.infer<typeof tokensSchema>> {
  let [every, left] = [everySeconds, seconds];
  while (left > 0) {
    await sleep(every * secondMs, signal);
    left -= every;
    const answer = await ask().catch((error: unknown) => {
      // If the service does not answer, it is polled less often. The code stays valid.
      if (signal.aborted || !(error instanceof AppError) || error.code !== 'network') throw error;
      return null;
    });
    if (answer === null || answer.status >= 500 || answer.status === 429) {
      every = Math.min(mostSeconds, every * 2);
      continue;
    }
    const tokens = tokensSchema.safeParse(answer.value);
    if (answer.status === 200 && tokens.success) return tokens.data;
    const said = saidIn(answer.value);
    if (said === 'slow_down') every = Math.min(mostSeconds, every + 5);
    else if (said === 'access_denied') throw new AppError('refused', 'It was declined there. Nothing was changed.');
    else if (said === 'expired_token') break;
    else if (said !== 'authorization_pending')
      throw new AppError(
        'network',
        `${host} did not hand out a sign-in (${said === '' ? `HTTP ${answer.status}` : said}).`,
        {
          hint: 'Nothing was changed. Try again.',
        },
      );
  }
  throw new AppError('timeout', 'The code ran out before anybody used it. Nothing was changed.', {
    hint: 'Begin again to get another code.',
  });
}

function saidIn(value: unknown): string {
  const said = fieldOf(value, 'error');
  return typeof said === 'string' ? said.replaceAll(/[^a-z_]/gu, '').slice(0, 60) : '';
}

function notStarted(host: string, status: number, value: unknown): string {
  const said = saidIn(value);
  return `${host} gave no code to sign in with (${said === '' ? `HTTP ${status}` : said}). Nothing was changed.`;
}
