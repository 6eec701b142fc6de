import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { offersIn, type ServerOffers } from '@shared/tools/server-offers.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';

/** Something that a server gave: its address, and what it is. */
export interface ServerContent {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/** What a server has for the person beside its tools. */
export interface ServerMaterial {
  /** As it lists them now. Rejects where it does not answer. */
  readonly offers: (signal: AbortSignal) => Promise<ServerOffers>;
  /** All that lies at an address. */
  readonly read: (uri: string, signal: AbortSignal) => Promise<readonly ServerContent[]>;
}

const answerMs = 60_000;

/** What it asks meanwhile gets no answer: it belongs to no call. */
export function createServerMaterial(client: Client): ServerMaterial {
  const ways = (signal: AbortSignal): RequestOptions => ({ signal, timeout: answerMs });
  return {
    offers: async (signal) => {
      const can = client.getServerCapabilities() ?? {};
      const has = can.resources !== undefined;
      const { resources } = has ? await client.listResources(undefined, ways(signal)) : { resources: [] };
      // Many servers with resources have no templates, and say so by an error.
      const { resourceTemplates } = has
        ? await client.listResourceTemplates(undefined, ways(signal)).catch(() => ({ resourceTemplates: [] }))
        : { resourceTemplates: [] };
      const { prompts } =
        can.prompts === undefined ? { prompts: [] } : await client.listPrompts(undefined, ways(signal));
      return offersIn(resources, resourceTemplates, prompts);
    },
    read: async (uri, signal) => {
      const contents: unknown = fieldOf(await client.readResource({ uri }, ways(signal)), 'contents');
      return Array.isArray(contents) ? contents.flatMap((one) => contentOf(one, uri) ?? []) : [];
    },
  };
}

function contentOf(part: unknown, from: string): ServerContent | null {
  if (!isRecord(part)) return null;
  const { text, blob, uri } = part;
  const at = typeof uri === 'string' && uri !== '' ? uri.slice(0, 2_000) : from;
  if (typeof text === 'string') return { uri: at, bytes: Buffer.from(text, 'utf8') };
  return typeof blob === 'string' ? { uri: at, bytes: Buffer.from(blob, 'base64') } : null;
}
