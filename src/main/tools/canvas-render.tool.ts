import { z } from 'zod';
import { utf8Text } from '../lib/utf8-text.ts';
import { pictureTypeOf } from '../lib/files/image-facts.ts';
import type { Canvas, Picture } from '@shared/tools/canvas.ts';
import { canvasKinds, canvasLimits, canvasSummary, canvasToolName, readCanvas } from '@shared/tools/canvas.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { errorResult, failureResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: canvasToolName,
  description: 'Show the user a table, a chart, a diagram, an image, or HTML without scripts.',
  access: 'read',
  needs: 'drawing',
  input: z.object({
    kind: z.enum(canvasKinds).describe('what to show'),
    content: z
      .string()
      .optional()
      .describe(
        'tables and charts: CSV with names in the first row; in a chart the first column has labels, each other one numbers. diagram: Mermaid. svg, html: source. image: path',
      ),
    path: z.string().optional().describe('a file with it, in place of content'),
    title: z.string().max(canvasLimits.titleCharacters).optional().describe('a few words above it'),
  }),
  label: ({ kind, title }) => `show ${kind}${title === undefined || title === '' ? '' : `: ${title}`}`,
  create: () => async (input, context) => {
    const { path, content, ...rest } = input;
    if (path !== undefined && content !== undefined && content.trim() !== '')
      return errorResult('Nothing was shown. Give the content or the path, not both.');
    if (path !== undefined && input.kind !== 'image') return showFile(path, rest, context);
    const read = readCanvas({ ...rest, content: path ?? content });
    if (!read.ok) return errorResult(`Nothing was shown. ${read.problem}`);
    const { canvas } = read;
    if (canvas.kind === 'image') return showImage(canvas.path, context);
    return shown(canvas);
  },
});

function shown(canvas: Canvas, data?: object): ToolResult {
  return okResult(`The user sees it: ${canvasSummary(canvas)}. Do not repeat it in words.`, data);
}

const outside = errorResult('Nothing was shown. Give the path relative to the project, without "..".');

/** Keeps the text in the log, so that the session still shows it after the file has changed. */
async function showFile(given: string, rest: object, { sandbox, signal }: ToolContext): Promise<ToolResult> {
  const path = workspacePath.safeParse(given);
  if (!path.success) return outside;
  const reply = await sandbox.files.read(path.data, { maxBytes: canvasLimits.fileBytes }, signal);
  if (!reply.ok) return failureResult(reply.error);
  // A byte order mark would be part of the first column's name.
  const content = utf8Text(reply.value.bytes)?.replace(/^\uFEFF/u, '') ?? null;
  if (content === null) return errorResult(`Nothing was shown. ${path.data} is no text in UTF-8.`);
  const drawn = { ...rest, content };
  const read = readCanvas(drawn);
  if (!read.ok) return errorResult(`Nothing was shown of ${path.data}. ${read.problem}`);
  return shown(read.canvas, { drawn });
}

/** Stores the bytes in the log, so that the session still shows this image after the file has changed. */
async function showImage(given: string, { sandbox, signal }: ToolContext): Promise<ToolResult> {
  const path = workspacePath.safeParse(given);
  if (!path.success) return outside;
  const reply = await sandbox.files.read(path.data, { maxBytes: canvasLimits.imageBytes }, signal);
  if (!reply.ok) return failureResult(reply.error);
  const { bytes } = reply.value;
  const mediaType = pictureTypeOf(bytes);
  if (mediaType === null)
    return errorResult(`Nothing was shown. ${path.data} is none of these: PNG, JPEG, GIF, WebP or SVG.`);
  const picture: Picture = { path: path.data, mediaType, data: Buffer.from(bytes).toString('base64') };
  return okResult(`The user sees ${path.data}.`, { picture });
}
