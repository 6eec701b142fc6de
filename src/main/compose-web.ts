import { failure, success, valueOf } from '@shared/errors.ts';
import type { HostPrograms } from './lib/programs/host-programs.ts';
import type { HomeKeys } from './safety/keys/home-keys.ts';
import { createOutboundConnections } from './sandbox/network/outbound-connections.ts';
import { createWebClient } from './sandbox/network/web-client.ts';
import { createDocumentReader, createPageDrawer } from './documents/read-document.ts';
import { createGitProcess } from './git/process/run-apart.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import type { WebCommandsOptions } from './tools/web/commands.ts';
import { offeredWebTools } from './tools/web/commands.ts';
import type { WebParts } from './tools/web/web-request.ts';

interface WebBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SettingsStore;
  readonly programs: HostPrograms;
  /** The Node that runs our own programs, and the built document reader. */
  readonly files: { readonly node: string; readonly documentProcess: string; readonly gitProcess: string };
}

/** The web tools: access to the web, the readers of pages and documents, and the search service. */
export function createWebParts({ env, settings, programs, files }: WebBase, keys: HomeKeys) {
  const parser = { programs, nodePath: files.node, processPath: files.documentProcess };
  const readDocument = createDocumentReader(parser);
  const drawPage = createPageDrawer(parser);
  const web = () => settings.current().web;
  const keyName = (service: string): string => `web.${service}`;
  const accessTo: WebCommandsOptions['accessTo'] = async (service, given) => {
    if (service === 'searxng') {
      const address = given.address ?? web().searxng;
      if (address !== null) return success({ service, address, key: null });
      const hint = 'Set it: dewpoint settings set web.searxng https://ADDRESS';
      return failure('not-found', 'The address of your SearXNG is not set.', hint);
    }
    const key = given.key ?? (await keys.own.find(keyName(service), keyVariables[service]));
    if (key !== null) return success({ service, address: null, key });
    const hint = `Save it: dewpoint tools secret web_search ${service}`;
    return failure('missing-key', `The key of the search service ${service} is not set.`, hint);
  };
  const parts: WebParts = {
    readDocument,
    searchService: async () => {
      const { search } = web();
      if (search !== 'off') return accessTo(search, {});
      return failure('not-found', 'No search service is chosen.', 'See: dewpoint tools list');
    },
  };
  const exchange = createWebClient(createOutboundConnections(() => settings.current().connection, env));
  const webCommands: Omit<WebCommandsOptions, 'definitions'> = {
    settings: web,
    save: async (change) => {
      for (const [key, value] of Object.entries(change)) valueOf(await settings.set(['web', key], value));
    },
    parts,
    exchange,
    accessTo,
    keepSecret: (service, value) => keys.own.set(keyName(service), value),
  };
  const hosting = {
    // A push holds all that the host does not have yet.
    exchange: createWebClient(
      createOutboundConnections(() => settings.current().connection, env),
      { timeoutMs: 300_000, mostBytes: 64 * 1024 * 1024 },
    ),
    token: (host: string) => keys.own.find(`git.${host}`, null),
  };
  const exchangeForClones = createWebClient(
    createOutboundConnections(() => settings.current().connection, env),
    { timeoutMs: 600_000, mostBytes: 256 * 1024 * 1024 },
  );
  const keepToken = (host: string, token: string): Promise<void> => keys.own.set(`git.${host}`, token);
  const runGit = createGitProcess({ programs, nodePath: files.node, processPath: files.gitProcess });
  return {
    gitAccess: { hosting, exchangeForClones, keepToken, runGit },
    readDocument,
    drawPage,
    webTools: parts,
    web: { offered: () => offeredWebTools(web()), exchange },
    webCommands,
  };
}

/** Environment variables that may also hold a key. */
const keyVariables = { brave: 'BRAVE_API_KEY' } as const;
