import { AppError } from '@shared/errors.ts';
import { cloneFolderName } from '@shared/git/clone-folder-name.ts';

/** A repository as a person typed it. */
export interface CloneAddress {
  readonly origin: string;
  readonly host: string;
  /** As git takes it, without a login. */
  readonly url: string;
  /** The name of the folder that git would choose. Null: the address names none. */
  readonly name: string | null;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const longest = 1_000;

/** Reads the address of a repository. Only HTTPS is used, and HTTP on this machine. Says what to do about others. */
export function cloneAddress(typed: string): CloneAddress {
  const text = typed.trim();
  const refuse = (message: string, hint: string): AppError => new AppError('bad-input', message, { hint });
  const ssh = sshParts(text);
  if (ssh !== null)
    throw refuse('This address is by SSH, and Dewpoint uses no SSH keys.', `Use its HTTPS address: https://${ssh}`);
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\\)/iu.exec(text)?.[1]?.toLowerCase() ?? null;
  const url = text.length > longest || /[\p{Cc}\s\\]/u.test(text) ? null : URL.parse(text);
  const example = 'For example: https://HOST/OWNER/PROJECT.git';
  if (scheme === 'file' || (scheme === null && /^[./~]|^[a-z]:\\/iu.test(text)))
    throw refuse('This is a folder of this machine, so there is nothing to bring.', 'Open the folder itself.');
  if (url === null || scheme === null || /^[a-z][a-z0-9+.-]*::/iu.test(text))
    throw refuse('This is not the address of a repository.', example);
  if (scheme !== 'https' && scheme !== 'http')
    throw refuse(`Dewpoint brings repositories by HTTPS, not by "${scheme.slice(0, 20)}".`, example);
  if (url.username !== '' || url.password !== '')
    throw refuse(
      'The address has a name or a password in it, which git would keep in the settings of the clone.',
      `Type it without, and save the token: dewpoint projects git token ${url.host}`,
    );
  if (scheme === 'http' && !loopback.has(url.hostname))
    throw refuse('The address is not encrypted, so anybody on the way could change the code.', 'Use https://');
  if (url.search !== '' || url.hash !== '') throw refuse('The address has a "?" or "#" in it.', example);
  const path = url.pathname.replace(/\/$/u, '');
  if (!/^(?:\/[^/]+)+$/u.test(path)) throw refuse('The address names no repository.', example);
  return { origin: url.origin, host: url.host, url: `${url.origin}${path}`, name: cloneFolderName(path) };
}

/** `ada@host:owner/project` and `ssh://ada@host/owner/project`, as host and path. */
function sshParts(text: string): string | null {
  const url = /^(?:git\+)?ssh:/iu.test(text) ? URL.parse(text) : null;
  if (url !== null) return `${url.hostname}/${url.pathname.replace(/^\/+/u, '')}`.slice(0, 300);
  const found = /^[\w.-]{1,100}@([A-Za-z0-9.-]{1,253}):(?!\/\/)\/?([^\s:]{1,300})$/u.exec(text);
  return found === null ? null : `${found[1] ?? ''}/${found[2] ?? ''}`;
}
