import type { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { addressSchema } from './process/git-job.ts';
import type { Remote } from './read-branches.ts';

export type HostingAddress = z.output<typeof addressSchema>;

/** The remote to push to: the one that was named, the only one, or `origin`. */
export function chooseRemote(remotes: readonly Remote[], named: string | null): HostingAddress {
  const names = remotes.map(({ name }) => name).join(', ');
  const [only, ...more] = remotes;
  if (only === undefined)
    throw new AppError('bad-input', 'The repository has no remote, so no host is known for it.', {
      hint: 'Add one: git remote add origin https://HOST/OWNER/PROJECT.git',
    });
  const found =
    named === null
      ? more.length === 0
        ? only
        : remotes.find(({ name }) => name === 'origin')
      : remotes.find(({ name }) => name === named);
  if (found === undefined)
    throw new AppError(
      'bad-input',
      named === null ? `There are several remotes: ${names}.` : `There is no remote ${named}.`,
      {
        hint: `Choose one of ${names}: --remote NAME`,
      },
    );
  return addressOf(found);
}

/** The remote that leads to a project: `example.org/ada/app`. */
export function remoteAt(remotes: readonly Remote[], at: string): HostingAddress {
  for (const remote of remotes) {
    const address = reachedBy(remote);
    if (address !== null && `${address.host}/${address.path}`.toLowerCase() === at.toLowerCase()) return address;
  }
  throw new AppError('refused', `No remote of the project leads to ${at}, so it is not asked.`, {
    hint: `If it belongs to the project: git remote add upstream https://${at}.git`,
  });
}

/** Null: it is not reached by HTTP. */
function reachedBy(remote: Remote): HostingAddress | null {
  try {
    return addressOf(remote);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function addressOf({ name, address, shown }: Remote): HostingAddress {
  const ssh = /^(?:ssh:\/\/)?(?:[^@/]+@)([A-Za-z0-9.-]+)(?::|\/)(?!\d+\/)(.+)$/u.exec(address);
  const url = ssh === null ? URL.parse(address) : URL.parse(`https://${ssh[1] ?? ''}/${ssh[2] ?? ''}`);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AppError('bad-input', `The remote ${name} (${shown}) is not reached over HTTPS.`, {
      hint: `Use your own git for it. Or add its HTTPS address as a remote: git remote add web https://HOST/OWNER/PROJECT.git`,
    });
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    throw new AppError(
      'refused',
      `The remote ${name} (${shown}) is not encrypted, and your token would be sent openly.`,
      {
        hint: `Use its HTTPS address: git remote set-url ${name} https://…`,
      },
    );
  const path = url.pathname.replace(/^\/+/u, '').replace(/\.git\/?$|\/$/u, '');
  if (!path.includes('/') || path.length > 500 || /[\p{Cc}?#]/u.test(path))
    throw new AppError('bad-input', `The remote ${name} (${shown}) does not name a project as OWNER/PROJECT.`);
  return { remote: name, origin: url.origin, host: url.host, path, isFromSsh: ssh !== null };
}
