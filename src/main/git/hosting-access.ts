import type { WebExchange } from '../tools/web/web-request.ts';
import type { HostingAddress } from './hosting-address.ts';
import { createHostingCalls, type HostingCalls } from './hosting-calls.ts';
import { hostingService, interfaceOf, type HostingService } from './hosting-services.ts';

/** The way to hosts of repositories, and the token for each. */
export interface HostingAccess {
  readonly exchange: WebExchange;
  /** Null: none is kept for this host. */
  readonly token: (host: string) => Promise<string | null>;
}

/** Calls of one host, with its token if one is kept. Which service it is, it says without one. */
export async function hostingFor(
  address: HostingAddress,
  { exchange, token }: HostingAccess,
  signal: AbortSignal,
): Promise<{
  readonly hasToken: boolean;
  /** For git itself. */
  readonly plain: HostingCalls;
  readonly service: () => Promise<HostingService>;
}> {
  const secret = await token(address.host);
  const how = (authorization: string | null) => ({
    exchange,
    signal,
    login: authorization === null ? {} : { authorization },
  });
  const calls = createHostingCalls(interfaceOf(address), how(secret === null ? null : `Bearer ${secret}`));
  const open = createHostingCalls(address, how(null));
  return {
    hasToken: secret !== null,
    plain: createHostingCalls(address, how(secret === null ? null : gitLogin(secret))),
    service: () => hostingService(address, { calls, open }),
  };
}

/** A token as git sends it. */
export function gitLogin(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}
