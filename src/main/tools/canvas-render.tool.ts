import { z } from 'zod';
import { pictureTypeOf } from '../lib/files/image-facts.ts';
import type { Picture } from '@shared/tools/canvas.ts';
import { canvasKinds, canvasLimits, canvasSummary, canvasToolName, readCanvas } from '@shared/tools/canvas.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { errorResult, failureResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: canvasToolName,
  description: 'Show the user a table, a chart, a diagram, an image, or HTML without scripts.',
  access: 'read',
  isForDrawing: true,
  input: z.object({
    kind: z.enum(canvasKinds).describe('what to show'),
    content: z
      .string()
      .min(1)
      .describe(
        'tables and charts: CSV with names in the first row; in a chart the first column has labels, each other one numbers. diagram: Mermaid. svg, html: source. image: path',
      ),
    title: z.string().max(canvasLimits.titleCharacters).optional().describe('a few words above it'),
  }),
  label: ({ kind, title }) => `show ${kind}${title === undefined || title === '' ? '' : `: ${title}`}`,
  create: () => async (input, context) => {
    const read = readCanvas(input);
    if (!read.ok) return errorResult(`Nothing was shown. ${read.problem}`);
    const { canvas } = read;
    if (canvas.kind === 'image') return showImage(canvas.path, context);
    return okResult(`The user sees it: ${canvasSummary(canvas)}. Do not repeat it in words.`);
  },
});

/** Stores the bytes in the log, so that the session still shows this image after the file has changed. */
async function showImage(given: string, { sandbox, signal }: ToolContext): Promise<ToolResult> {
  const path = workspacePath.safeParse(given);
  if (!path.success) return errorResult('Nothing was shown. Give the path relative to the project, without "..".');
  const reply = await sandbox.readFile(path.data, { maxBytes: canvasLimits.imageBytes }, signal);
  if (!reply.ok) return failureResult(reply.error);
  const { bytes } = reply.value;
  const mediaType = pictureTypeOf(bytes);
  if (mediaType === null)
    return errorResult(`Nothing was shown. ${path.data} is none of these: PNG, JPEG, GIF, WebP or SVG.`);
  const picture: Picture = { path: path.data, mediaType, data: Buffer.from(bytes).toString('base64') };
  return okResult(`The user sees ${path.data}.`, { picture });
}
