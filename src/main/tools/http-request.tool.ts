import { z } from 'zod';
import { printable } from '@shared/text/seen-text.ts';
import { defineTool } from './define.ts';
import { errorResult, failureResult } from './values/tool-results.ts';
import { decodeText, sourceLine } from './web/read-page.ts';
import { webMethods, whySchema } from './web/web-request.ts';

export default defineTool({
  name: 'http_request',
  description: 'Send an HTTP request to a public address, without keys or cookies; gives status, headers and body.',
  access: 'network',
  needs: 'web',
  input: z.object({
    url: z.string().min(1).max(4_000).describe('the whole address, https:// first'),
    method: z.enum(webMethods).default('GET').describe('default: GET'),
    headers: z.record(z.string().max(100), z.string().max(1_000)).optional().describe('such as accept or content-type'),
    body: z.string().max(64_000).optional().describe('not for GET and HEAD'),
    why: whySchema,
  }),
  label: ({ method, url }) => `${method} ${url}`,
  create:
    () =>
    async ({ url, method, headers = {}, body, why }, { requestWeb }) => {
      if (requestWeb === undefined) return { status: 'refused', output: 'The web is not reached from here.' };
      const isRead = method === 'GET' || method === 'HEAD';
      if (isRead && body !== undefined) return errorResult(`A ${method} has no body. Nothing was sent.`);
      const answer = await requestWeb({ method, url, headers, body: body ?? null, why });
      if (!answer.ok) return failureResult(answer.error);
      const { status, bytes, isCut, headers: got } = answer.value;
      const shown = shownHeaders.flatMap((name) => (got[name] === undefined ? [] : [`${name}: ${got[name]}`]));
      const isText = !bytes.subarray(0, 8_000).includes(0);
      const text = isText ? decodeText(answer.value) : `(${bytes.length} bytes that are no text)`;
      const lines = [
        sourceLine(answer.value.url),
        `HTTP ${status}`,
        ...shown,
        '',
        text,
        ...(isCut ? ['[Cut: there was more.]'] : []),
      ];
      return { status: status < 400 ? 'ok' : 'error', output: printable(lines.join('\n')), data: { status } };
    },
});

/** The only response headers that a model sees: tasks need no others. */
const shownHeaders = ['content-type', 'location', 'etag', 'last-modified', 'link', 'retry-after'];
