import { AppError, valueOf, type Reply } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { SearchServiceName, WebToolName, WebToolReport } from '@shared/tools/web-tools.ts';
import { webToolNames } from '@shared/tools/web-tools.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { ToolDefinition } from '../define.ts';
import { readPage } from './read-page.ts';
import { keyedServices, searchWeb } from './search-services.ts';
import type { SearchAccess, WebExchange, WebParts } from './web-request.ts';
import { requestOnOneHost } from './web-request.ts';

export interface WebCommandsOptions {
  readonly settings: () => Settings['web'];
  readonly save: (web: Partial<Settings['web']>) => Promise<void>;
  readonly definitions: ReadonlyMap<string, Pick<ToolDefinition, 'description'>>;
  readonly parts: WebParts;
  readonly exchange: WebExchange;
  readonly keepSecret: (service: string, value: string) => Promise<void>;
  /** Access to a service, with the given key and address or the kept ones. A failure says what is missing. */
  readonly accessTo: (service: SearchServiceName, given: SearchCredentials) => Promise<Reply<SearchAccess>>;
}

export interface SearchCredentials {
  readonly key?: string | undefined;
  readonly address?: string | undefined;
}

/** Handlers that show, switch and try the web tools. */
export function createWebCommands(options: WebCommandsOptions): Handlers['web'] {
  const { settings, save, definitions, parts } = options;
  const report = async (name: WebToolName): Promise<WebToolReport> => {
    const isOn = offeredWebTools(settings()).includes(name);
    const access = name === 'web_search' && isOn ? await parts.searchService() : null;
    const lacks = access?.ok === false ? `${access.error.message} ${access.error.hint ?? ''}`.trim() : null;
    return { name, description: definitions.get(name)?.description ?? '', isOn, lacks };
  };
  return {
    list: async () => Promise.all(webToolNames.map(report)),
    set: async ({ input: { name, isOn } }) => {
      await save(changeOf(name, isOn, settings()));
      return report(name);
    },
    secret: async ({ input: { service, value } }) => {
      if (!keyedServices.includes(service)) {
        throw new AppError('bad-input', `The search service ${service} takes no key. Nothing was kept.`, {
          hint: `With a key: ${keyedServices.join(', ')}`,
        });
      }
      await options.keepSecret(service, value.trim());
    },
    setUpSearch: async ({ input: { service, key, address }, signal }) => {
      const access = valueOf(await options.accessTo(service, { key: key?.trim(), address: address?.trim() }));
      valueOf(await searchWeb(access, { query: trialQuery, why: '' }, requestOnOneHost(options.exchange, signal)));
      signal.throwIfAborted();
      if (key !== undefined && access.key !== null) await options.keepSecret(service, access.key);
      await save({ search: service, ...(access.address === null ? {} : { searxng: access.address }) });
      return report('web_search');
    },
    test: async ({ input: { name, text }, signal }) => ({ text: await tryTool(options, { name, text }, signal) }),
  };
}

/** A word that every service finds something for, and that reveals nothing about the user. */
const trialQuery = 'weather';

/** The web tools that are switched on in the settings. */
export function offeredWebTools({ read, search, request }: Settings['web']): readonly WebToolName[] {
  const isOn = { web_read: read, web_search: search !== 'off', http_request: request } as const;
  return webToolNames.filter((name) => isOn[name]);
}

/** Keeps the chosen search service. If none is chosen, an own SearXNG address comes first. */
function changeOf(name: WebToolName, isOn: boolean, { search, searxng }: Settings['web']): Partial<Settings['web']> {
  switch (name) {
    case 'web_read':
      return { read: isOn };
    case 'http_request':
      return { request: isOn };
    case 'web_search':
      if (!isOn) return { search: 'off' };
      return { search: search !== 'off' ? search : searxng === null ? 'brave' : 'searxng' };
    default:
      return name satisfies never;
  }
}

async function tryTool(
  { parts, exchange }: WebCommandsOptions,
  { name, text }: { readonly name: WebToolName; readonly text: string },
  signal: AbortSignal,
): Promise<string> {
  const request = requestOnOneHost(exchange, signal);
  if (name === 'web_search') {
    const access = valueOf(await parts.searchService());
    return valueOf(await searchWeb(access, { query: text, why: '' }, request));
  }
  const wish = { method: 'GET', url: text, headers: {}, body: null, why: '' } as const;
  return valueOf(await readPage(valueOf(await request(wish)), parts, signal));
}
