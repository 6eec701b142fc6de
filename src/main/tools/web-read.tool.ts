import { z } from 'zod';
import { defineTool } from './define.ts';
import { failureResult, okResult } from './values/tool-results.ts';
import { readPage } from './web/read-page.ts';
import { whySchema } from './web/web-request.ts';

export default defineTool({
  name: 'web_read',
  description: 'Read a page of the web as Markdown, or a PDF, text or JSON at an address.',
  access: 'web',
  needs: 'web',
  input: z.object({
    url: z.string().min(1).max(4_000).describe('the whole address, https:// first'),
    why: whySchema,
  }),
  label: ({ url }) => `read ${url}`,
  create:
    ({ web }) =>
    async ({ url, why }, { requestWeb, signal }) => {
      if (requestWeb === undefined || web === undefined)
        return { status: 'refused', output: 'The web is not reached from here.' };
      const headers = { accept: 'text/html, application/pdf, text/plain, application/json, */*;q=0.5' };
      const answer = await requestWeb({ method: 'GET', url, headers, body: null, why });
      if (!answer.ok) return failureResult(answer.error);
      const page = await readPage(answer.value, web, signal);
      return page.ok ? okResult(page.value) : failureResult(page.error);
    },
});
