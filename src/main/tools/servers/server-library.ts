import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '@shared/errors.ts';
import type { FoundPrompt, FoundResource } from '@shared/tools/found-offers.ts';
import { serverOffersSchema, type ServerOffers } from './server-offers.ts';
import type { ToolServerSettings } from '@shared/tools/server-definition.ts';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { placeFile } from '../mcp/kept-place.ts';
import type { McpConnection } from '../mcp/mcp-connection.ts';
import type { ServerContent, ServerMaterial, ServerPrompt } from '../mcp/server-material.ts';
import { orNoted } from '../../lib/log.ts';

/** Resources and prompts of the servers that are on in a project. */
export interface ServerLibrary {
  /** Whether what the server receives may leave this machine. */
  readonly leaves: (server: string) => boolean;
  /** The resources that each server listed last. Starts no server. */
  readonly resources: () => Promise<readonly FoundResource[]>;
  /** Reaches the server. Rejects if it is not approved, is off in this project, or has nothing there. */
  readonly read: (server: string, uri: string, signal: AbortSignal) => Promise<readonly ServerContent[]>;
  readonly prompts: () => Promise<readonly FoundPrompt[]>;
  /** Reaches the server, like `read`. */
  readonly prompt: (
    asked: { readonly server: string; readonly name: string; readonly values: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<ServerPrompt>;
}

/** Keeps in the home what servers listed last, so that showing it starts no server. */
export interface KeptOffers {
  /** The offers for exactly this definition, else empty ones. */
  readonly of: (server: string, sha256: string) => Promise<ServerOffers>;
  /** Asks the server and keeps the answer. Never rejects, because nobody waits for it. */
  readonly refresh: (server: string, sha256: string, live: McpConnection, signal: AbortSignal) => Promise<void>;
  readonly drop: (server: string) => Promise<void>;
}

const none: ServerOffers = { resources: [], prompts: [] };
const keptSchema = z.object({ sha256: z.string(), offers: serverOffersSchema });

export function createKeptOffers(folder: string): KeptOffers {
  const known = new Map<string, z.infer<typeof keptSchema>>();
  const fileOf = (server: string): string => join(folder, server, 'offers.json');
  return {
    of: async (server, sha256) => {
      const file = known.has(server) ? null : await readJsonFile(fileOf(server), (value) => keptSchema.parse(value));
      // An unreadable file is replaced at the server's next start.
      if (file?.type === 'value') known.set(server, file.value);
      const kept = known.get(server);
      return kept?.sha256 === sha256 ? kept.offers : none;
    },
    refresh: async (server, sha256, live, signal) => {
      // If it does not answer now, it is asked again at its next start.
      const offers = await live.material
        ?.offers(signal)
        .catch(orNoted('What a tool server offers was not listed', null));
      if (offers === undefined || offers === null) return;
      known.set(server, { sha256, offers });
      await writeJsonFile(fileOf(server), { sha256, offers }).catch(
        orNoted('What a tool server offers was not saved', undefined),
      );
    },
    drop: async (server) => {
      known.delete(server);
      await Promise.all([fileOf(server), placeFile(folder, server)].map((file) => rm(file, { force: true })));
    },
  };
}

export interface LibraryParts {
  /** The servers that are approved and on in the project. */
  readonly servers: () => readonly (readonly [string, ToolServerSettings])[];
  readonly hashOf: (name: string, server: ToolServerSettings) => string;
  readonly kept: KeptOffers;
  readonly connect: (name: string, signal: AbortSignal) => Promise<McpConnection>;
}

export function createServerLibrary({ servers, hashOf, kept, connect }: LibraryParts): ServerLibrary {
  const reach = async (name: string, signal: AbortSignal): Promise<ServerMaterial> => {
    if (!servers().some(([one]) => one === name)) {
      throw new AppError('refused', `There is no tool server ${name} that is approved and on here. Nothing was sent.`, {
        hint: 'See: dewpoint tools list',
      });
    }
    const { material } = await connect(name, signal);
    if (material !== undefined) return material;
    throw new AppError('not-found', `The tool server ${name} has tools only.`);
  };
  const listed = async <T>(
    pick: (offers: ServerOffers) => readonly T[],
  ): Promise<readonly (T & { server: string })[]> => {
    const all = servers().map(async ([server, settings]) =>
      pick(await kept.of(server, hashOf(server, settings))).map((one) => ({ ...one, server })),
    );
    return (await Promise.all(all)).flat();
  };
  return {
    leaves: (name) => servers().find(([one]) => one === name)?.[1].definition.staysHere !== true,
    resources: () => listed(({ resources }) => resources),
    prompts: () => listed(({ prompts }) => prompts),
    prompt: async ({ server, name, values }, signal) => {
      const material = await reach(server, signal);
      return told(server, material.prompt(name, values, signal));
    },
    read: async (server, uri, signal) => {
      const material = await reach(server, signal);
      return told(server, material.read(uri, signal));
    },
  };
}

/** Marks the error text as the server's own words. */
async function told<T>(server: string, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw new AppError('network', `The tool server ${server} says: ${messageOf(error).slice(0, 600)}`);
  });
}
