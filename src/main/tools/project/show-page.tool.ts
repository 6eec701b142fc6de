import { z } from 'zod';
import { maxDocumentBytes, partsText, whyUnread } from '@shared/documents/document-text.ts';
import { packedDocument } from '../../lib/files/document-kind.ts';
import { defineTool, forPerson } from '../define.ts';
import { workspacePath } from '../values/tool-path-input.ts';
import { errorResult, failureResult } from '../values/tool-results.ts';

export default defineTool({
  name: 'show_page',
  description: 'See a page of a PDF as a picture, where its text is not enough: a scan or a chart.',
  access: 'read',
  needs: 'documents',
  isForSight: true,
  input: z.object({
    path: workspacePath.meta(forPerson('a PDF of the project, relative to its folder')),
    page: z.number().int().min(1).max(1_000_000).meta(forPerson('the number of the page, from 1')),
  }),
  label: ({ path, page }) => `show ${path}, page ${page}`,
  create:
    ({ drawPage }) =>
    async ({ path, page }, { sandbox, facts, signal }) => {
      if (drawPage === undefined) return errorResult('No pages are drawn here. Use read_file.');
      if (!facts.seesImages)
        return errorResult(
          `Page ${page} of ${path} was not drawn: you do not see pictures. Say that a model that sees pictures could read it.`,
        );
      const read = await sandbox.files.read(path, { maxBytes: maxDocumentBytes }, signal);
      if (!read.ok) return failureResult(read.error);
      if (packedDocument(read.value.bytes)?.kind !== 'pdf')
        return errorResult(`${path} is not a PDF. Only pages of a PDF are drawn; use read_file.`);
      const drawn = await drawPage(read.value.bytes, { page, signal });
      signal.throwIfAborted();
      if (!drawn.ok) {
        if (drawn.why === 'no-page')
          return errorResult(`${path} has ${partsText('pdf', drawn.pages ?? 0)}; there is no page ${page}.`);
        return errorResult(whyUnread(path, 'pdf', drawn.why).what);
      }
      const { png, width, height, pages } = drawn;
      return {
        status: 'ok',
        output: `Page ${page} of ${pages} of ${path}, a picture of ${width} × ${height}. Cite it as ${path}, page ${page}.`,
        pictures: [{ bytes: png, mediaType: 'image/png', width, height }],
      };
    },
});
