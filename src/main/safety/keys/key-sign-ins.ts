import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@shared/errors.ts';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { beginningOf } from '../../lib/net/limited-answer.ts';
import type { openRedirectListener, RedirectListener } from '../../tools/sign-in/redirect-listener.ts';

export interface KeySignInsOptions {
  readonly services: Readonly<Record<string, KnownProvider>>;
  /** A fetch that limits the size of answers, follows no redirect, and rejects with an `AppError` if nobody answers. */
  readonly reach: (signal: AbortSignal) => typeof fetch;
  readonly openRedirect: typeof openRedirectListener;
  /** Called with every value that must not reach a log. */
  readonly learn: (value: string) => void;
  /** How long a sign-in waits for the user. */
  readonly waitMs?: number;
}

/** Sign-ins to model services that result in a key: the user agrees in a browser, and the service makes a key. */
export interface KeySignIns {
  /** Throws if the service offers no sign-in. */
  readonly mustOffer: (provider: string) => void;
  /** Returns the new key without storing it. Rejects with `conflict` while another sign-in to the service waits. */
  readonly run: (
    provider: string,
    how: { readonly signal: AbortSignal; readonly onOpen: (url: string) => void },
  ) => Promise<string>;
  /** The address that waits for the user; null: none. */
  readonly waiting: (provider: string) => string | null;
  /** Takes the address at which a browser elsewhere ended. Throws if no sign-in waits for it. */
  readonly deliver: (provider: string, address: string) => void;
}

type SignIn = NonNullable<KnownProvider['signIn']>;

const defaultWaitMs = 10 * 60_000;

export function createKeySignIns(options: KeySignInsOptions): KeySignIns {
  const { services, openRedirect, learn, waitMs = defaultWaitMs } = options;
  const pending = new Map<string, { listener: RedirectListener | null; url: string | null }>();
  const offer = (provider: string): SignIn => {
    const signIn = services[provider]?.signIn;
    if (signIn !== undefined) return signIn;
    const offering = Object.keys(services).filter((name) => services[name]?.signIn !== undefined);
    throw new AppError('bad-input', `The provider ${provider} offers no sign-in that Dewpoint may use.`, {
      hint: `Set a key: dewpoint keys set ${provider}. Sign-in works for: ${offering.join(', ')}.`,
    });
  };
  return {
    mustOffer: (provider) => void offer(provider),
    run: async (provider, { signal, onOpen }) => {
      const signIn = offer(provider);
      if (pending.has(provider))
        throw new AppError('conflict', `A sign-in to ${provider} is waiting already.`, {
          hint: 'Finish it in the browser, or cancel it where it was started.',
        });
      const mine: { listener: RedirectListener | null; url: string | null } = { listener: null, url: null };
      pending.set(provider, mine);
      try {
        const listener = (mine.listener = await openRedirect({ signal, waitMs, hasStateInPath: true }));
        const verifier = randomBytes(32).toString('base64url');
        for (const secret of [listener.state, verifier]) learn(secret);
        mine.url = addressOf(signIn, listener.redirectUrl, verifier);
        onOpen(mine.url);
        const code = codeIn(await listener.answer);
        learn(code);
        return await exchanged(options.reach(signal), signIn, { code, verifier });
      } finally {
        mine.listener?.close();
        pending.delete(provider);
      }
    },
    waiting: (provider) => pending.get(provider)?.url ?? null,
    deliver: (provider, address) => {
      const listener = pending.get(provider)?.listener ?? null;
      if (listener === null) throw new AppError('not-found', `No sign-in to ${provider} is waiting.`);
      listener.deliver(address);
    },
  };
}

function addressOf({ page }: SignIn, redirectUrl: string, verifier: string): string {
  const url = new URL(page);
  url.search = new URLSearchParams({
    callback_url: redirectUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    key_label: 'Dewpoint',
  }).toString();
  return url.href;
}

function codeIn(answer: URLSearchParams): string {
  const code = answer.get('code');
  if (code !== null && code !== '') return code;
  const said = (answer.get('error') ?? '').replaceAll(/[^a-z_]/gu, '').slice(0, 60);
  const what = said === 'access_denied' ? 'It was declined in the browser' : `The service refused it (${said})`;
  throw new AppError('refused', `${what}. Nothing was changed.`);
}

/** Does not repeat the service's answer in an error, because it could contain what was sent. */
async function exchanged(
  reach: typeof fetch,
  { exchange }: SignIn,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Promise<string> {
  const { host } = new URL(exchange);
  const body = JSON.stringify({ code, code_verifier: verifier, code_challenge_method: 'S256' });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await reach(exchange, { method: 'POST', headers, body }).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError(error.code, error.message, { hint: again }) : error;
  });
  const { status } = response;
  if (status === 400 || status === 403)
    throw new AppError('refused', `${host} did not take the sign-in (HTTP ${status}). It may have run out.`, {
      hint: again,
    });
  const key = status === 200 ? fieldOf(jsonIn(await beginningOf(response, longestAnswer)), 'key') : null;
  if (typeof key === 'string' && key !== '') return key;
  const what = status === 200 ? 'its answer was not understood' : `it answered with HTTP ${status}`;
  throw new AppError('network', `${host} gave no key: ${what}.`, { hint: again });
}

/** Of a key and a name, in bytes. */
const longestAnswer = 100_000;
const again = 'Nothing was changed here. Sign in again.';
