import type { WebExchange } from '../tools/web/web-request.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import type { HostingAddress } from './hosting-address.ts';
import { createHostingCalls, type HostingCalls, type SendCall } from './hosting-calls.ts';
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

/** Between two reports of bytes that arrive. */
const reportBytes = 1_000_000;

/** Calls of git that bring a repository, with a token if one is kept. They say how much has arrived. */
export async function receivingCalls(
  address: Pick<HostingAddress, 'origin' | 'host'>,
  { exchange, token }: HostingAccess,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: CloneStep) => void },
): Promise<{ readonly send: SendCall; readonly hasToken: boolean }> {
  const secret = await token(address.host);
  let reported = 0;
  const { send } = createHostingCalls(address, {
    exchange,
    signal,
    login: secret === null ? {} : { authorization: gitLogin(secret) },
    onReceived: (done) => {
      if (done >= reported && done - reported < reportBytes) return;
      reported = done;
      onProgress({ step: 'receive', done, total: null });
    },
  });
  return { send, hasToken: secret !== null };
}

/** A token as git sends it. */
function gitLogin(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}
