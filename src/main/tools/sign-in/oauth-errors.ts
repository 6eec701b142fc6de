import { AppError, messageOf } from '@shared/errors.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The package that implements the protocol. It is loaded with the first server, not at the start. */
export type Oauth = typeof import('@modelcontextprotocol/client');

export const loadOauth = (): Promise<Oauth> => import('@modelcontextprotocol/client');

/** Errors after which the kept sign-in is certainly unusable. All others may be temporary. */
const dead: readonly string[] = ['invalid_grant', 'invalid_client', 'unauthorized_client'];

export function isDead(oauth: Oauth, error: unknown): boolean {
  return error instanceof oauth.OAuthError && dead.includes(error.code);
}

const longest = 200;

/**
 * What went wrong, for the user. The service's own words are untrusted and could repeat what was sent, so they are
 * shortened, and everything in `secrets` is removed.
 */
export function reasonOf(oauth: Oauth, error: unknown, secrets: readonly string[]): string {
  if (error instanceof AppError) return error.message.replace(/\.$/u, '');
  if (error instanceof oauth.IssuerMismatchError) return 'another service answered than the one that was asked';
  if (error instanceof oauth.RegistrationRejectedError)
    return `it does not take Dewpoint as a client (HTTP ${error.status}${wordsIn(error.body, secrets)})`;
  if (error instanceof oauth.OAuthError) {
    const isRaw = error.message.includes('Raw body');
    if (isRaw) return `it answered with ${/HTTP \d{3}/u.exec(error.message)?.[0] ?? 'what is no answer'}`;
    const words = error.message === error.code ? '' : `: ${error.message}`;
    return without(`${error.code}${words}`, secrets);
  }
  const said = messageOf(error);
  const status = /^HTTP \d{3}/u.exec(said)?.[0];
  if (status !== undefined) return `it answered with ${status}`;
  // Only texts of Dewpoint and of the package remain. They do not quote answers that could not be read.
  return /Incompatible auth server|does not implement/u.test(said)
    ? without(said, secrets)
    : 'its answer was not understood';
}

function wordsIn(body: string, secrets: readonly string[]): string {
  try {
    const value: unknown = JSON.parse(body);
    const words = [fieldOf(value, 'error'), fieldOf(value, 'error_description')];
    const said = words.filter((word) => typeof word === 'string').join(': ');
    return said === '' ? '' : `, ${without(said, secrets)}`;
  } catch {
    // Most likely an HTML page for people.
    return '';
  }
}

function without(text: string, secrets: readonly string[]): string {
  const safe = secrets.filter((one) => one !== '').reduce((rest, one) => rest.replaceAll(one, '…'), text);
  return safe.replaceAll(/\s+/gu, ' ').slice(0, longest);
}
