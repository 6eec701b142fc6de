import { join } from 'node:path';
import { createWebClient } from '../../src/main/sandbox/network/web-client.ts';
import { createOutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import type { LongSecrets } from '../../src/main/safety/keys/long-secrets.ts';
import type { ServerSignIns, ServerSignInsOptions } from '../../src/main/tools/sign-in/server-sign-ins.ts';
import { createServerSignIns } from '../../src/main/tools/sign-in/server-sign-ins.ts';
import { serverDefinitionSchema, type ServerDefinition } from '../../src/shared/tools/server-definition.ts';

/** Secrets in a table, like an open key store. */
export function tableSecrets(): LongSecrets & { readonly table: Map<string, string> } {
  const table = new Map<string, string>();
  return {
    table,
    check: async () => undefined,
    read: async (name) => table.get(name) ?? null,
    write: async (name, value) => void table.set(name, value),
    remove: async (name) => void table.delete(name),
  };
}

/** Sign-ins that reach servers on this machine over real connections. */
export function realSignIns(
  home: string,
  secrets: LongSecrets,
  more: Partial<ServerSignInsOptions> = {},
): ServerSignIns {
  const outward = createOutboundConnections(() => ({ proxy: null, certificates: null }), {});
  return createServerSignIns({
    folder: join(home, 'tools'),
    secrets,
    exchange: createWebClient(outward, { mostBytes: 1024 * 1024, timeoutMs: 5_000 }),
    hasInnerAddress: async () => false,
    clientSecret: async () => null,
    learn: () => undefined,
    now: Date.now,
    ...more,
  });
}

export function signInDefinition(url: string, more: object = {}): ServerDefinition {
  return serverDefinitionSchema.parse({ kind: 'http', url, ...more });
}

/** Opens an address as a browser does, following redirects. */
export async function browse(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}
