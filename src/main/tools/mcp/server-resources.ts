import type { Client } from '@modelcontextprotocol/client';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ResourceContent, ServerResource } from '@shared/tools/server-resource.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** More of a stranger is not looked at. */
const mostResources = 1_000;
const longestWords = 300;
const longestUri = 2_000;
const mostCharacters = 8 * 1024 * 1024;
const readMs = 60_000;

/** What a server lists to be read; nothing where it has no such list. Rejects where it does not answer. */
export async function listResources(
  client: Client,
  signal: AbortSignal,
): Promise<readonly Omit<ServerResource, 'server'>[]> {
  if (client.getServerCapabilities()?.resources === undefined) return [];
  const { resources } = await client.listResources(undefined, { signal, timeout: readMs });
  return resources
    .slice(0, mostResources)
    .flatMap(({ uri, name, title, description = '' }) =>
      uri.length > longestUri
        ? []
        : [{ uri, name: (title ?? name).slice(0, longestWords), description: description.slice(0, longestWords) }],
    );
}

/** Reads one. Several parts of text are one text; a file counts only where it is alone. Rejects with what was wrong. */
export async function readResource(client: Client, uri: string, signal: AbortSignal): Promise<ResourceContent> {
  const { contents } = await client
    .readResource({ uri }, { signal, timeout: readMs, cacheMode: 'bypass' })
    .catch((error: unknown) => {
      throw new AppError('network', `The server did not give ${uri.slice(0, longestWords)}: ${messageOf(error)}`);
    });
  const texts = contents.map((part) => fieldOf(part, 'text')).filter((text) => typeof text === 'string');
  const file: unknown = contents.find((part) => typeof fieldOf(part, 'blob') === 'string');
  const data = fieldOf(file, 'blob');
  const text = texts.join('\n\n');
  if (text.length > mostCharacters || (typeof data === 'string' && data.length > mostCharacters))
    throw new AppError('too-large', `${uri.slice(0, longestWords)} has more than 8 MB. Nothing of it was taken.`);
  if (text !== '' || typeof data !== 'string') return { type: 'text', text };
  const mediaType = fieldOf(file, 'mimeType');
  return { type: 'file', data, mediaType: typeof mediaType === 'string' ? mediaType.slice(0, 100) : '' };
}
