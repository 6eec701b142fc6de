import { applyPatch, parsePatch } from 'diff';
import type { StructuredPatch } from 'diff';
import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import { withLineEnds } from '../lib/files/file-text.ts';
import type { NewFile, ToolContext, ToolResult } from './define.ts';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { encodeText, isBytes, isReadText, readText } from './values/decode-file-text.ts';
import { errorResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'apply_patch',
  description:
    'Apply a unified diff (git style) to one or more files, all or nothing. Context may be off by two lines.',
  access: 'write',
  input: z.object({
    patch: z.string().min(1).describe('--- a/x, +++ b/x, @@ hunks; --- /dev/null creates, +++ /dev/null deletes'),
  }),
  label: ({ patch }) =>
    `patch ${[...patch.matchAll(/^\+\+\+ (\S+)/gmu)].map((match) => match[1]).join(', ') || '(no files)'}`,
  create:
    () =>
    async ({ patch }, context) => {
      const planned = await plan(patch, context);
      if (!Array.isArray(planned)) return planned;
      const done = planned.map(({ path, bytes }) => `${bytes === null ? 'Deleted' : 'Patched'} ${path}.`);
      return (await context.changeFiles(planned)) ?? okResult(done.join('\n'));
    },
});

/** Computes the new content of every file before the first one is written. */
async function plan(patch: string, context: ToolContext): Promise<NewFile[] | ToolResult> {
  if (/^\*{3} Begin Patch/mu.test(patch))
    return errorResult(
      'This is a patch of another form ("*** Begin Patch"). Give a unified diff with ---, +++ and @@ lines, or use edit_file.',
    );
  let files: StructuredPatch[];
  try {
    files = parsePatch(patch);
  } catch (error) {
    return errorResult(`This is not a unified diff: ${messageOf(error)}`);
  }
  const planned: NewFile[] = [];
  for (const file of files.filter((candidate) => candidate.hunks.length > 0)) {
    const next = await planFile(file, context);
    if ('status' in next) return next;
    planned.push(next);
  }
  return planned.length === 0 ? errorResult('The patch changes nothing: it has no hunks.') : planned;
}

async function planFile(file: StructuredPatch, context: ToolContext): Promise<NewFile | ToolResult> {
  const isNew = file.oldFileName === '/dev/null';
  const isDeleted = file.newFileName === '/dev/null';
  const name = workspacePath.safeParse(cleanName((isDeleted ? file.oldFileName : file.newFileName) ?? ''));
  if (!name.success) return errorResult('The patch names no file, or one outside the project.');
  let text = '';
  let encode = (whole: string): Uint8Array | ToolResult => new TextEncoder().encode(whole);
  if (!isNew) {
    const read = await readText(name.data, context);
    if (!isReadText(read)) return read;
    ({ text } = read);
    encode = (whole) => encodeText(name.data, read, whole);
  }
  if (isDeleted) return { path: name.data, bytes: null };
  const shown = (line: string): string => context.restoreHidden?.(line, text) ?? line;
  const hunks = file.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(shown) }));
  // In a file with both line ends, a patch fits by its lines alone.
  const result = applyPatch(
    text.replaceAll('\r\n', '\n'),
    { ...file, hunks },
    { fuzzFactor: 2, autoConvertLineEndings: true },
  );
  if (result === false) {
    return errorResult(
      `The patch does not fit ${name.data}: its lines do not stand there. Read the file and make the patch again.`,
    );
  }
  const bytes = encode(isNew ? result : withLineEnds(text, result));
  return isBytes(bytes) ? { path: name.data, bytes } : bytes;
}

function cleanName(name: string): string {
  return name.replace(/^[ab]\//u, '');
}
