import type { AuthProvider } from '@modelcontextprotocol/client';
import { AppError } from '@shared/errors.ts';
import { isSocketAddress } from '@shared/tools/server-definition.ts';
import type { ServerDefinition, SignInReport, SignOutRevocation } from '@shared/tools/server-definition.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import type { WebExchange } from '../web/web-request.ts';
import type { ServerPlace } from './auth-fetch.ts';
import { createAuthFetch, placeOf } from './auth-fetch.ts';
import type { Challenge } from './discover-auth.ts';
import type { KeptSignIns, SignIn, SignInNote } from './kept-sign-ins.ts';
import { createKeptSignIns, UnreadableNote } from './kept-sign-ins.ts';
import { runDeviceSignIn } from './device-sign-in.ts';
import { loadOauth, type Oauth } from './oauth-errors.ts';
import type { RedirectListener } from './redirect-listener.ts';
import { openRedirectListener } from './redirect-listener.ts';
import type { RefreshOptions, UnkeptSignIns } from './refresh-sign-in.ts';
import { refreshSignIn, SignInNeeded } from './refresh-sign-in.ts';
import { signOut } from './sign-out.ts';
import type { FlowOptions, OpenSignIn } from './sign-in-flow.ts';
import { runSignIn } from './sign-in-flow.ts';
import type { LongSecrets } from '../../safety/keys/long-secrets.ts';
import { orNoted } from '../../lib/log.ts';

/** How a connection to a server over HTTP is signed in. */
export interface ServerAuth {
  readonly provider: AuthProvider;
  /** Wraps the `fetch` of the connection, and notes which token each answer refused. */
  readonly noting: (reach: typeof fetch) => typeof fetch;
  /** What an error of the connection means for signing in. Null: nothing. */
  readonly explain: (error: unknown) => Promise<AppError | null>;
}

export interface ServerSignIns {
  /** Null: the server is a program, or the user set a key for it. Contacts nobody before the first request. */
  readonly forServer: (server: string, definition: ServerDefinition) => ServerAuth | null;
  /** Runs a whole sign-in that the user asked for. Rejects with `conflict` while another one is waiting. */
  readonly start: (
    server: string,
    definition: ServerDefinition,
    how: {
      readonly signal: AbortSignal;
      readonly onOpen: (open: OpenSignIn) => void;
      /** Uses a code that is typed on any device, instead of a browser on this machine. */
      readonly byCode?: boolean;
    },
  ) => Promise<void>;
  /** The address that waits for the user. Null: there is none. */
  readonly waiting: (server: string) => string | null;
  /** Takes the final address of a browser on another machine. Throws if no sign-in is waiting. */
  readonly deliver: (server: string, address: string) => void;
  /** Tells the service, and deletes the kept sign-in whatever the service answers. Null: nobody was signed in. */
  readonly signOut: (server: string, signal: AbortSignal) => Promise<SignOutRevocation | null>;
  readonly report: (server: string, definition: ServerDefinition) => Promise<SignInReport | null>;
  /** Resolves when no renewal is running, because its answer may be the only one. */
  readonly dispose: () => Promise<void>;
}

export interface ServerSignInsOptions extends Pick<RefreshOptions, 'writeAgainMs'> {
  /** Has a folder for each server. */
  readonly folder: string;
  readonly secrets: LongSecrets;
  readonly exchange: WebExchange;
  /** Whether a host name leads into the network of this machine. */
  readonly hasInnerAddress: (host: string) => Promise<boolean>;
  /** The secret of a client that the user registered. Null: it has none. */
  readonly clientSecret: (server: string) => Promise<string | null>;
  /** Called with every value that must not reach a log. */
  readonly learn: (value: string) => void;
  readonly now: () => number;
  /** How long a sign-in waits for the user. */
  readonly waitMs?: number;
  /** Length of a second between two polls of a service, in milliseconds. Tests make it short. */
  readonly secondMs?: number;
}

const defaultWaitMs = 10 * 60_000;

/** What this process knows of one server. */
interface Memory {
  signIn: SignIn | null;
  challenge: Challenge | null;
  isNeeded: boolean;
  pending: { listener: RedirectListener | null; url: string | null } | null;
}

interface Parts extends ServerSignInsOptions {
  readonly kept: KeptSignIns;
  readonly unkept: UnkeptSignIns;
  readonly memory: (server: string) => Memory;
  readonly renew: (server: string, serverUrl: string, stale: string) => Promise<SignIn>;
  readonly reach: (serverUrl: string, signal: AbortSignal) => Promise<{ reach: typeof fetch; place: ServerPlace }>;
}

type HttpDefinition = Extract<ServerDefinition, { kind: 'http' }>;

/** Null if the user set an Authorization header, which comes before any sign-in. */
function httpOf(definition: ServerDefinition): HttpDefinition | null {
  if (definition.kind !== 'http' || isSocketAddress(definition)) return null;
  return definition.headers.some((name) => name.toLowerCase() === 'authorization') ? null : definition;
}

export function createServerSignIns(options: ServerSignInsOptions): ServerSignIns {
  const memories = new Map<string, Memory>();
  const kept = createKeptSignIns(options.folder, options.secrets);
  const unkept: UnkeptSignIns = new Map();
  const running = new Set<Promise<unknown>>();
  const reach: Parts['reach'] = async (serverUrl, signal) => {
    const place = await placeOf(serverUrl, options.hasInnerAddress);
    return { place, reach: createAuthFetch({ exchange: options.exchange, place }, signal) };
  };
  const refresh: RefreshOptions = {
    ...options,
    kept,
    unkept,
    reach: async (serverUrl) => (await reach(serverUrl, neverAborts)).reach,
  };
  const parts: Parts = {
    ...options,
    kept,
    unkept,
    reach,
    memory: (server) => {
      const known = memories.get(server) ?? { signIn: null, challenge: null, isNeeded: false, pending: null };
      memories.set(server, known);
      return known;
    },
    renew: (server, serverUrl, stale) => {
      const work = loadOauth().then((oauth) => refreshSignIn(oauth, refresh, { server, serverUrl, stale }));
      running.add(work);
      const over = (): void => void running.delete(work);
      work.then(over, over);
      return work;
    },
  };
  return {
    forServer: (server, definition) => {
      const http = httpOf(definition);
      return http === null ? null : createServerAuth(parts, server, http.url);
    },
    start: (server, definition, how) => startSignIn(parts, server, definition, how),
    waiting: (server) => memories.get(server)?.pending?.url ?? null,
    deliver: (server, address) => {
      const listener = memories.get(server)?.pending?.listener ?? null;
      if (listener === null) throw new AppError('not-found', `No sign-in to ${server} is waiting.`);
      listener.deliver(address);
    },
    signOut: async (server, signal) => {
      const outcome = await signOut(parts, server, signal);
      if (outcome !== null) Object.assign(parts.memory(server), { signIn: null, challenge: null, isNeeded: true });
      return outcome;
    },
    report: (server, definition) => report(parts, server, definition),
    dispose: async () => void (await Promise.allSettled(running)),
  };
}

/** A token is renewed this long before it expires, so that no request is sent in vain. */
const earlyMs = 30_000;

function createServerAuth({ kept, memory, renew, now }: Parts, server: string, serverUrl: string): ServerAuth {
  const mine = memory(server);
  const refused = new WeakMap<Response, string>();
  const note = (signIn: SignIn): SignIn => {
    mine.isNeeded = false;
    return (mine.signIn = signIn);
  };
  const renewed = async (stale: string): Promise<SignIn> => {
    try {
      return note(await renew(server, serverUrl, stale));
    } catch (error) {
      mine.signIn = null;
      mine.isNeeded = error instanceof SignInNeeded;
      throw error;
    }
  };
  const current = async (): Promise<SignIn | null> => {
    if (mine.signIn?.serverUrl === serverUrl) return mine.signIn;
    const read = await kept.read(server, serverUrl);
    return read === null ? null : note(read);
  };
  return {
    noting: (reach) => async (input, init) => {
      const response = await reach(input, init);
      const sent = new Headers(init?.headers).get('authorization');
      if (response.status === 401 && sent !== null) refused.set(response, sent.replace(/^Bearer /u, ''));
      return response;
    },
    provider: {
      token: async () => {
        const signIn = await current();
        if (signIn === null) return undefined;
        const leftMs = signIn.expiresAt === null ? earlyMs : signIn.expiresAt - now();
        if (leftMs >= earlyMs) return signIn.accessToken;
        try {
          return (await renewed(signIn.accessToken)).accessToken;
        } catch (error) {
          // The token is still valid, so a service that cannot renew it right now is no reason to stop.
          if (leftMs <= 0 || mine.isNeeded) throw error;
          return note(signIn).accessToken;
        }
      },
      onUnauthorized: async ({ response }) => {
        const { extractWWWAuthenticateParams } = await loadOauth();
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
        mine.challenge = { metadataUrl: resourceMetadataUrl?.href ?? null, scope: scope ?? null };
        const stale = refused.get(response);
        if (stale !== undefined) return void (await renewed(stale));
        mine.isNeeded = true;
        throw new SignInNeeded(server);
      },
    },
    explain: async (error) => {
      if (fieldOf(error, 'code') === 'CLIENT_HTTP_AUTHENTICATION') {
        mine.isNeeded = true;
        return new SignInNeeded(server, 'it refused a new token, too');
      }
      if (fieldOf(error, 'name') !== 'InsufficientScopeError') return null;
      const wanted = scopeText(fieldOf(error, 'requiredScope'));
      mine.challenge = { metadataUrl: mine.challenge?.metadataUrl ?? null, scope: wanted };
      // The error is returned even if the note cannot be written.
      await kept
        .changeNote(server, { wanted: wanted ?? 'more' })
        .catch(orNoted('The note of a sign-in was not saved', undefined));
      const rights = wanted === null ? 'more rights' : `more rights (${wanted})`;
      return new AppError('missing-key', `The tool server ${server} wants ${rights} for this.`, {
        hint: `To grant them, run dewpoint tools sign-in ${server}, or open the Tools page.`,
      });
    },
  };
}

/** Cleans an untrusted text that is shown and put into an address. */
function scopeText(given: unknown): string | null {
  if (typeof given !== 'string') return null;
  const text = given.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e ]/gu, '').slice(0, 500);
  return text.trim() === '' ? null : text.trim();
}

async function startSignIn(
  parts: Parts,
  server: string,
  definition: ServerDefinition,
  { signal, onOpen, byCode = false }: Parameters<ServerSignIns['start']>[2],
): Promise<void> {
  const http = httpOf(definition);
  if (http === null) {
    throw new AppError('bad-input', `The tool server ${server} takes no sign-in by a browser.`, {
      hint: 'Only an address does that has no Authorization header of your own.',
    });
  }
  const { kept, secrets, memory, learn, now } = parts;
  const mine = memory(server);
  if (mine.pending !== null) {
    throw new AppError('conflict', `A sign-in to ${server} is waiting already.`, {
      hint: 'Finish it in the browser, or cancel it where it was started.',
    });
  }
  mine.pending = { listener: null, url: null };
  try {
    // Checked before the user goes anywhere, because the outcome must be stored.
    await secrets.check();
    const oauth = await loadOauth();
    const { reach, place } = await parts.reach(http.url, signal);
    const note = (await readNote(kept, server)).note;
    const granted = note?.serverUrl === http.url && note.ended === null ? note.scope : null;
    const { clientId } = http;
    const client = clientId === undefined ? null : { id: clientId, secret: await parts.clientSecret(server) };
    const wanted = note?.wanted ?? null;
    const challenge = mine.challenge ?? (wanted === null ? null : { metadataUrl: null, scope: wanted });
    const options = { server, serverUrl: http.url, place, reach, challenge, granted, client, learn, now };
    const show = (open: OpenSignIn): void => {
      if (mine.pending !== null) mine.pending.url = open.url;
      onOpen(open);
    };
    const secondMs = parts.secondMs ?? 1_000;
    const signIn = byCode
      ? await runDeviceSignIn(oauth, options, { signal, onOpen: show, secondMs })
      : await signInByBrowser(parts, { oauth, options, signal, show });
    await kept.locked(server, async () => {
      await kept.begin(server, signIn, now());
      parts.unkept.delete(server);
    });
    mine.signIn = signIn;
    mine.isNeeded = false;
    mine.challenge = null;
  } finally {
    mine.pending = null;
  }
}

interface BrowserWay {
  readonly oauth: Oauth;
  readonly options: FlowOptions;
  readonly signal: AbortSignal;
  readonly show: (open: OpenSignIn) => void;
}

async function signInByBrowser(
  { memory, waitMs = defaultWaitMs }: Parts,
  { oauth, options, signal, show }: BrowserWay,
): Promise<SignIn> {
  const listener = await openRedirectListener({ signal, waitMs });
  const { pending } = memory(options.server);
  if (pending !== null) pending.listener = listener;
  try {
    return await runSignIn(oauth, options, listener, show);
  } finally {
    listener.close();
  }
}

/** For callers that only report the problem or replace the note. */
async function readNote(
  kept: KeptSignIns,
  server: string,
): Promise<{ readonly note: SignInNote | null; readonly problem: string | null }> {
  try {
    return { note: await kept.note(server), problem: null };
  } catch (error) {
    if (!(error instanceof UnreadableNote)) throw error;
    return { note: null, problem: error.message.replace(/\.$/u, '') };
  }
}

async function report(
  { kept, memory }: Parts,
  server: string,
  definition: ServerDefinition,
): Promise<SignInReport | null> {
  const http = httpOf(definition);
  if (http === null) return null;
  const read = await readNote(kept, server);
  const note = read.note?.serverUrl === http.url ? read.note : null;
  const ended = read.problem ?? note?.ended ?? null;
  const { isNeeded, pending } = memory(server);
  return {
    isSignedIn: note !== null && note.ended === null,
    isNeeded: isNeeded || ended !== null,
    isWaiting: pending !== null,
    issuer: note?.issuer ?? null,
    scopes: (note?.scope ?? '').split(' ').filter((scope) => scope !== ''),
    at: note?.at ?? null,
    ended,
    wanted: note?.wanted ?? null,
  };
}
