import { failure, success } from '../../src/shared/errors.ts';
import type { Settings } from '../../src/shared/settings/settings.ts';
import type { Handlers } from '../../src/main/server/handlers.ts';
import { createWebCommands } from '../../src/main/tools/web/commands.ts';

/** The only key that the search service accepts. */
export const knownKey = 'the-right-key';

interface WebHome {
  readonly settings: () => Settings['web'];
  readonly save: (name: string, value: unknown) => void;
  readonly keepSecret: (service: string, value: string) => void;
}

/** The real web commands, with a table in place of the search service. It accepts one key, at one address. */
export function webHandlers({ settings, save, keepSecret }: WebHome): Handlers['web'] {
  return createWebCommands({
    settings,
    save: async (change) => {
      for (const [name, value] of Object.entries(change)) save(name, value);
    },
    definitions: new Map(),
    parts: {
      readDocument: () => Promise.reject(new Error('No document is read here.')),
      searchService: async () => failure('missing-key', 'The key is not set.'),
    },
    exchange: async ({ url, service }) => {
      const isKnown = Object.values(service?.headers ?? {}).includes(knownKey) || url.host === 'search.lan:8888';
      const results = [{ title: 'Weather', url: 'https://weather.example.org/', content: 'It rains.' }];
      return success({
        url: url.href,
        status: isKnown ? 200 : 401,
        headers: { 'content-type': 'application/json' },
        bytes: Buffer.from(JSON.stringify({ results, web: { results } })),
        isCut: false,
      });
    },
    keepSecret: async (service, value) => keepSecret(service, value),
    accessTo: async (service, { key = null, address = null }) => {
      if (service === 'brave' && key === null) return failure('missing-key', 'The key of brave is not set.');
      return success({ service, address, key });
    },
  });
}
