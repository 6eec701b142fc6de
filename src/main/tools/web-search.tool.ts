import { z } from 'zod';
import { defineTool } from './define.ts';
import { failureResult, okResult } from './values/tool-results.ts';
import { searchWeb } from './web/search-services.ts';
import { whySchema } from './web/web-request.ts';

export default defineTool({
  name: 'web_search',
  description: 'Search the web: titles, addresses and a few words of up to ten results.',
  access: 'web',
  needs: 'web',
  input: z.object({
    query: z.string().min(1).max(400).describe('a few words'),
    why: whySchema,
  }),
  label: ({ query }) => `search the web for ${query}`,
  create:
    ({ web }) =>
    async (wish, { requestWeb }) => {
      if (requestWeb === undefined || web === undefined)
        return { status: 'refused', output: 'The web is not reached from here.' };
      const access = await web.searchService();
      if (!access.ok) return failureResult(access.error);
      const found = await searchWeb(access.value, wish, requestWeb);
      return found.ok ? okResult(found.value) : failureResult(found.error);
    },
});
