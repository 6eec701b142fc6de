import { z } from 'zod';
import { globMatcher } from '../lib/files/glob-matcher.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool, forFull, forPerson } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { failureResult, okResult } from './values/tool-results.ts';

const shownEntries = 500;
/** At most this many files are checked against a glob. */
const lookedThrough = 20_000;

export default defineTool({
  name: 'list_files',
  description: 'List files and folders of the project, or find files by a glob.',
  access: 'read',
  input: z.object({
    path: workspacePath.default('.').meta(forPerson('a folder of the project; default: all of it')),
    depth: z.number().int().min(1).max(20).optional().describe('default: all levels'),
    glob: z.string().min(1).max(200).optional().describe('such as "src/**/*.{ts,tsx}"').meta(forFull),
  }),
  label: ({ path, glob }) => (glob === undefined ? `list ${path}` : `find ${glob}${path === '.' ? '' : ` in ${path}`}`),
  create: () => async (input, context) => {
    if (input.glob !== undefined) return find({ ...input, glob: input.glob }, context);
    const options = { limit: shownEntries, ...(input.depth === undefined ? {} : { depth: input.depth }) };
    const reply = await context.sandbox.files.list(input.path, options, context.signal);
    if (!reply.ok) return failureResult(reply.error);
    const { entries, truncated, unseen } = reply.value;
    const lines = entries.map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
    const more = truncated ? ['… there are more; list a folder below this one, or use a glob'] : [];
    return okResult([...lines, ...more, ...closed(unseen)].join('\n') || '(empty)', { entries, truncated });
  },
});

async function find(
  { path, depth, glob }: { readonly path: string; readonly depth?: number | undefined; readonly glob: string },
  context: ToolContext,
): Promise<ToolResult> {
  const options = { limit: lookedThrough, depth: depth ?? 32 };
  const reply = await context.sandbox.files.list(path, options, context.signal);
  if (!reply.ok) return failureResult(reply.error);
  const fits = globMatcher(glob);
  const found = reply.value.entries.filter((entry) => entry.kind !== 'folder' && fits(entry.path));
  const entries = found.slice(0, shownEntries);
  const left = found.length - entries.length;
  const more = [
    ...(left > 0 ? [`… and ${left} more; use a narrower glob`] : []),
    ...(reply.value.truncated ? [`… only the first ${lookedThrough} files were looked at; name a folder`] : []),
  ];
  const lines = entries.map((entry) => entry.path);
  const text = [...lines, ...more, ...closed(reply.value.unseen)].join('\n');
  return okResult(text === '' ? `No file fits ${glob}.` : text, { entries, truncated: more.length > 0 });
}

function closed(unseen: readonly string[]): readonly string[] {
  return unseen.slice(0, 20).map((path) => `… ${path}/ could not be looked into`);
}
