import { addressBelow } from '../../../lib/net/base-address.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import type { OwnOllamaServer } from '../../engine/own-ollama-server.ts';

export interface ServerStarter {
  /** For `OllamaApi`: true if the server was started, else the reason, or null for no more to say. */
  readonly revive: (signal: AbortSignal) => Promise<true | string | null>;
  /** Whether the server is installed, does not run, and is not yet allowed to be started. */
  readonly canStart: () => Promise<boolean>;
}

export interface StarterOptions {
  readonly address: string;
  /** The address is on this machine. */
  readonly isHere: boolean;
  readonly settings: OllamaSettings;
  readonly ownServer: OwnOllamaServer | undefined;
  readonly fetch: typeof fetch;
}

/** Starts the server at an address of this machine, if the user has allowed it. */
export function createServerStarter(options: StarterOptions): ServerStarter {
  const { address, isHere, settings, ownServer, fetch: get } = options;
  const { host, protocol, port } = new URL(address);
  const find = async (): Promise<string | null> =>
    ownServer === undefined || !isHere || protocol !== 'http:' ? null : ownServer.find(settings.program);
  const answers = async (signal: AbortSignal): Promise<boolean> => {
    try {
      return (await get(addressBelow(address, '/api/version'), { signal })).ok;
    } catch {
      // No answer means that the server does not run.
      return false;
    }
  };
  return {
    canStart: async () => !settings.start && (await find()) !== null,
    revive: async (signal) => {
      const program = await find();
      if (ownServer === undefined || program === null) return missingText(settings);
      if (!settings.start) return offerText(program);
      // Without an explicit port, Ollama would use its own. `localhost` may stand for two addresses.
      const at = `127.0.0.1:${port === '' ? '80' : port}`;
      const started = await ownServer.start({ program, host: host.startsWith('[') ? host : at, answers }, signal);
      if (started.ok) return true;
      const { message, hint } = started.error;
      return hint === undefined ? message : `${message} ${hint}`;
    },
  };
}

function offerText(program: string): string {
  return `It is installed: ${program}. Start it with "ollama serve", or let Dewpoint start and stop it: dewpoint settings set providers.ollama '{"kind": "ollama", "start": true}'`;
}

function missingText({ start, program }: OllamaSettings): string | null {
  if (!start) return null;
  return program === undefined
    ? 'Dewpoint could not start it, because no program "ollama" was found on this machine.'
    : `Dewpoint could not start it, because ${program} is not a program that can be run, or lies in the folder of a project, where an agent can change it.`;
}
