import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { offersIn, type ServerOffers } from '../servers/server-offers.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';

/** One part of a resource: its address and bytes. */
export interface ServerContent {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/** The resources and prompts of a server. */
export interface ServerMaterial {
  /** The current list. Rejects if the server does not answer. */
  readonly offers: (signal: AbortSignal) => Promise<ServerOffers>;
  /** Everything at an address. */
  readonly read: (uri: string, signal: AbortSignal) => Promise<readonly ServerContent[]>;
  /** A prompt with its arguments filled in: its text, and attached content. */
  readonly prompt: (
    name: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<ServerPrompt>;
}

export interface ServerPrompt {
  readonly text: string;
  readonly contents: readonly ServerContent[];
}

const answerMs = 60_000;

/** Questions of the server during these requests get no answer, because they belong to no call. */
export function createServerMaterial(client: Client): ServerMaterial {
  const ways = (signal: AbortSignal): RequestOptions => ({ signal, timeout: answerMs });
  return {
    offers: async (signal) => {
      const can = client.getServerCapabilities();
      if (can === undefined) throw new Error('The server has ended.');
      const { resources, prompts } = can;
      // All at once: if the server ends meanwhile, nothing counts as an empty list.
      const [listed, templates, texts] = await Promise.all([
        resources === undefined ? null : client.listResources(undefined, ways(signal)),
        // Many servers with resources have no templates, and answer with an error.
        resources === undefined
          ? null
          : client.listResourceTemplates(undefined, ways(signal)).catch(() => ({ resourceTemplates: [] })),
        prompts === undefined ? null : client.listPrompts(undefined, ways(signal)),
      ]);
      return offersIn(listed?.resources ?? [], templates?.resourceTemplates ?? [], texts?.prompts ?? []);
    },
    read: async (uri, signal) => {
      const contents: unknown = fieldOf(await client.readResource({ uri }, ways(signal)), 'contents');
      return Array.isArray(contents) ? contents.flatMap((one) => contentOf(one, uri) ?? []) : [];
    },
    prompt: async (name, values, signal) => {
      const { messages } = await client.getPrompt({ name, arguments: { ...values } }, ways(signal));
      return promptOf(name, messages);
    },
  };
}

function promptOf(
  name: string,
  messages: readonly { readonly role: string; readonly content: unknown }[],
): ServerPrompt {
  const isTalk = messages.some(({ role }) => role !== 'user');
  const texts: string[] = [];
  const contents: ServerContent[] = [];
  for (const { role, content } of messages) {
    const { type, text, data, resource } = isRecord(content) ? content : {};
    if (type === 'text' && typeof text === 'string') texts.push(isTalk ? `${role}: ${text}` : text);
    const given = type === 'resource' ? resource : type === 'image' ? { blob: data } : null;
    const one = contentOf(given, name);
    if (one !== null) contents.push(one);
  }
  return { text: texts.join('\n\n'), contents };
}

function contentOf(part: unknown, from: string): ServerContent | null {
  if (!isRecord(part)) return null;
  const { text, blob, uri } = part;
  const at = typeof uri === 'string' && uri !== '' ? uri.slice(0, 2_000) : from;
  if (typeof text === 'string') return { uri: at, bytes: Buffer.from(text, 'utf8') };
  return typeof blob === 'string' ? { uri: at, bytes: Buffer.from(blob, 'base64') } : null;
}
