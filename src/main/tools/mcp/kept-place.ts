import type { LookupAddress } from 'node:dns';
import { join } from 'node:path';
import { z } from 'zod';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { lookupOnThisMachine, type Lookup } from '../../lib/net/own-lookup.ts';
import { PermanentError } from '../../lib/net/permanent-error.ts';
import { isOwnAddress } from '../../lib/net/this-machine.ts';
import type { ConnectOptions } from './mcp-connection.ts';

/** Where the name of a server leads, the farthest first. */
const places = ['public', 'inner', 'here'] as const;
type Place = (typeof places)[number];
const placeText: Readonly<Record<Place, string>> = {
  public: 'into the internet',
  inner: 'into your own network',
  here: 'to this machine',
};

const keptSchema = z.object({ server: z.string(), place: z.enum(places) });

export interface HeldReachOptions {
  readonly folder: string;
  /** Absent: names are not held to a place. */
  readonly held?: {
    /** Reaches servers by names that this lookup resolves. */
    readonly reachBy: (lookup: Lookup) => Pick<ConnectOptions, 'fetch' | 'openSocket'>;
    readonly isPublic: IsPublic;
  };
}

/** Whether an address is in the internet. */
type IsPublic = (address: string) => boolean;

interface HeldServer {
  readonly name: string;
  /** The hash of its definition. */
  readonly sha256: string;
}

/**
 * Holds a server without encryption to the place where its name led when it was first reached. Whoever owns the name
 * could point it at a device of the user's network later. With encryption, the certificate would not fit there.
 */
export function heldReach(
  { folder, held }: HeldReachOptions,
  { definition, ...server }: HeldServer & { readonly definition: ServerDefinition },
): Partial<Pick<ConnectOptions, 'fetch' | 'openSocket'>> {
  const isPlain = definition.kind === 'http' && /^(?:http|ws):/iu.test(definition.url);
  return isPlain && held !== undefined ? held.reachBy(lookupIn(folder, server, held)) : {};
}

export function placeFile(folder: string, name: string): string {
  return join(folder, name, 'place.json');
}

/** A lookup for sockets that leaves out addresses of another place. Fails if none is left. */
export function lookupIn(
  folder: string,
  server: HeldServer,
  { isPublic, resolve = lookupOnThisMachine }: { readonly isPublic: IsPublic; readonly resolve?: Lookup },
): Lookup {
  const placeOf = (address: string): Place => (isOwnAddress(address) ? 'here' : isPublic(address) ? 'public' : 'inner');
  // One after the other, so that only the first look-up decides.
  let last: Promise<unknown> = Promise.resolve();
  return (host, options, answer) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return answer(error, []);
      const addresses = typeof found === 'string' ? [] : found;
      const resolved = { ...server, host, addresses, placeOf };
      const held = last.then(() => addressesIn(placeFile(folder, server.name), resolved));
      last = held.catch(() => undefined);
      held.then(
        (fit) => (options.all === true ? answer(null, fit) : answer(null, fit[0]?.address ?? '', fit[0]?.family)),
        (failed: Error) => answer(failed, []),
      );
    });
  };
}

interface Resolved extends HeldServer {
  readonly host: string;
  readonly addresses: readonly LookupAddress[];
  readonly placeOf: (address: string) => Place;
}

async function addressesIn(
  path: string,
  { name, sha256, host, addresses, placeOf }: Resolved,
): Promise<LookupAddress[]> {
  const file = await readJsonFile(path, (value) => keptSchema.parse(value));
  if (file.type !== 'value' && file.type !== 'missing')
    throw new PermanentError(`Where ${host} led before cannot be read, so nothing was sent. Delete this file: ${path}`);
  const known = file.type === 'value' && file.value.server === sha256 ? file.value.place : null;
  // A name that leads to several places is held to the farthest, so that a near address beside it opens nothing.
  const place = known ?? places.find((one) => addresses.some(({ address }) => placeOf(address) === one));
  const fit = addresses.filter(({ address }) => placeOf(address) === place);
  const [other] = addresses;
  if (place === undefined || other === undefined) throw new Error(`${host} has no address.`);
  if (fit.length === 0)
    throw new PermanentError(
      `${host} led ${placeText[place]} before, and now leads ${placeText[placeOf(other.address)]} (${other.address}). Nothing was sent. If you moved the server, remove it and add it again: dewpoint tools remove ${name}`,
    );
  if (known === null) await writeJsonFile(path, { server: sha256, place });
  return fit;
}
