import { AppError } from '@shared/errors.ts';
import type { ServerDefinition, ToolServerSettings } from '@shared/tools/server-definition.ts';
import { orNoted } from '../../lib/log.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { StandingApproval } from '../connected/connected-tool.ts';
import type { ConnectedToolSpec } from '../connected/connected-tool-spec.ts';
import { hashOfServer, isApproved } from './server-switches.ts';
import type { ToolPin, ToolPins } from './tool-pins.ts';

interface LastingOptions {
  readonly servers: () => Readonly<Record<string, ToolServerSettings>>;
  readonly pins: ToolPins;
}

/** What a lasting yes covers: how the server is started or reached, and the whole definition of the tool. */
export function coverOfTool(server: string, definition: ServerDefinition, pin: Pick<ToolPin, 'sha256'>): string {
  return sha256Of(JSON.stringify(['always', hashOfServer(server, definition), pin.sha256]));
}

/** Whether the user always allows calls of a tool, as it and its server are now. */
export function isAlways(server: string, definition: ServerDefinition, pin: ToolPin): boolean {
  return pin.always !== undefined && pin.always === coverOfTool(server, definition, pin);
}

/** The user's yes to all calls of a tool, kept with its approval. */
export function createStandingApproval({ servers, pins }: LastingOptions): StandingApproval {
  const pinOf = async ({ server: name, tool, inputSchema }: ConnectedToolSpec) => {
    const all = servers();
    const server = Object.hasOwn(all, name) ? all[name] : undefined;
    const pin = (await pins.of(name)).find(({ definition }) => definition.name === tool);
    if (server === undefined || pin === undefined || !isApproved(name, server)) return null;
    // The question shows the tool as the model was offered it.
    if (JSON.stringify(pin.definition.inputSchema) !== JSON.stringify(inputSchema)) return null;
    return { pin, definition: server.definition };
  };
  const coverOf: StandingApproval['coverOf'] = async (spec) => {
    const found = await pinOf(spec).catch(orNoted('The approved tools of a server were not read', null));
    return found === null ? null : coverOfTool(spec.server, found.definition, found.pin);
  };
  return {
    coverOf,
    isAllowed: async (spec, cover) => {
      const found = await pinOf(spec);
      return found !== null && found.pin.always === cover && cover === (await coverOf(spec));
    },
    allow: async (spec, cover) => {
      if (cover !== (await coverOf(spec))) throw new AppError('conflict', 'The tool has changed meanwhile.');
      await pins.change(spec.server, (all) =>
        all.map((pin) => (pin.definition.name === spec.tool ? { ...pin, always: cover } : pin)),
      );
    },
  };
}
