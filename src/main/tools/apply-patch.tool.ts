import { applyPatch, parsePatch } from 'diff';
import type { StructuredPatch } from 'diff';
import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import { withLineEnds } from '../lib/files/file-text.ts';
import type { NewFile, ToolContext, ToolResult } from './define.ts';
import { defineTool, forPerson } from './define.ts';
import { applyChunks, isMarkedPatch, readMarkedPatch } from './edits/marked-patch.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { encodeText, isBytes, isReadText, readText } from './values/decode-file-text.ts';
import { errorResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'apply_patch',
  description:
    'Apply a patch to files, all or nothing: a unified diff, or "*** Begin Patch". It may create and delete files.',
  access: 'write',
  input: z.object({
    patch: z.string().min(1).meta(forPerson('the patch: a unified diff, or one that begins with *** Begin Patch')),
  }),
  label: ({ patch }) => `patch ${namesIn(patch).join(', ') || '(no files)'}`,
  create:
    () =>
    async ({ patch }, context) => {
      const planned = await plan(patch, context);
      if (!Array.isArray(planned)) return planned;
      const done = planned.map(({ path, bytes }) => `${bytes === null ? 'Deleted' : 'Patched'} ${path}.`);
      return (await context.files.change(planned)) ?? okResult(done.join('\n'));
    },
});

/** The files that a patch names. One that it deletes has its name before the change, one that it creates after. */
function namesIn(patch: string): readonly string[] {
  const names: string[] = [];
  let before = '';
  for (const line of patch.split('\n')) {
    const [, kind, name = ''] = /^(---|\+\+\+|\*{3} (?:Add|Update|Delete) File:) ([^\t\r]+)/u.exec(line) ?? [];
    if (kind === '---') before = name;
    else if (kind === '+++') names.push((name === '/dev/null' ? before : name).trim().replace(/^[ab]\//u, ''));
    else if (kind !== undefined) names.push(name.trim());
  }
  return names;
}

/** Computes the new content of every file before the first one is written. */
async function plan(patch: string, context: ToolContext): Promise<NewFile[] | ToolResult> {
  if (isMarkedPatch(patch)) return planMarked(patch, context);
  let files: StructuredPatch[];
  try {
    files = parsePatch(patch);
  } catch (error) {
    return errorResult(`This is not a unified diff: ${messageOf(error)}`);
  }
  const planned: NewFile[] = [];
  const moves = movesOf(patch);
  for (const file of files.filter((candidate) => candidate.hunks.length > 0)) {
    const next = await planFile(file, moves, context);
    if ('status' in next) return next;
    planned.push(...next);
  }
  for (const [to, from] of moves) {
    if (planned.some(({ path }) => path === to)) continue;
    const read = await readText(from, context);
    if (!isReadText(read)) return read;
    const bytes = encodeText(from, read, read.text);
    if (!isBytes(bytes)) return bytes;
    planned.push({ path: from, bytes: null }, { path: to, bytes });
  }
  return planned.length === 0 ? errorResult('The patch changes nothing: it has no hunks.') : planned;
}

/** The same for a patch of the form "*** Begin Patch". */
async function planMarked(patch: string, context: ToolContext): Promise<NewFile[] | ToolResult> {
  const files = readMarkedPatch(patch);
  if (typeof files === 'string') return errorResult(files);
  const planned: NewFile[] = [];
  for (const { path: given, change } of files) {
    const name = workspacePath.safeParse(given);
    if (!name.success) return errorResult(`${given} is no path inside the project.`);
    const path = name.data;
    if (change.type === 'add') {
      planned.push({ path, bytes: new TextEncoder().encode(change.text) });
      continue;
    }
    const read = await readText(path, context);
    if (!isReadText(read)) return read;
    if (change.type === 'delete') {
      planned.push({ path, bytes: null });
      continue;
    }
    const shown = (line: string): string => context.files.restoreHidden?.(line, read.text) ?? line;
    const chunks = change.chunks.map((chunk) => ({
      ...chunk,
      before: chunk.before.map(shown),
      after: chunk.after.map(shown),
    }));
    const result = applyChunks(read.text.replaceAll('\r\n', '\n'), chunks);
    if (!result.ok) return notFitting(path, result.problem);
    const bytes = encodeText(path, read, withLineEnds(read.text, result.text));
    if (!isBytes(bytes)) return bytes;
    const target = change.movedTo === null ? path : workspacePath.safeParse(change.movedTo).data;
    if (target === undefined) return errorResult(`${change.movedTo} is no path inside the project.`);
    if (target !== path) planned.push({ path, bytes: null });
    planned.push({ path: target, bytes });
  }
  return planned.length === 0 ? errorResult('The patch changes nothing: it names no file.') : planned;
}

function notFitting(path: string, problem = 'its lines do not stand there'): ToolResult {
  return errorResult(`The patch does not fit ${path}: ${problem}. Read the file and make the patch again.`);
}

/** The files that a diff renames: the old path of each by the new one. */
function movesOf(patch: string): ReadonlyMap<string, string> {
  const moves = [...patch.matchAll(/^rename from (\S.{0,1023})\r?\nrename to (\S.{0,1023}?)\r?$/gmu)];
  return new Map(
    moves.flatMap(([, from, to]) => {
      const paths = [workspacePath.safeParse(to?.trim()).data, workspacePath.safeParse(from?.trim()).data] as const;
      const [after, before] = paths;
      return after === undefined || before === undefined ? [] : [[after, before] as const];
    }),
  );
}

async function planFile(
  file: StructuredPatch,
  moves: ReadonlyMap<string, string>,
  context: ToolContext,
): Promise<readonly NewFile[] | ToolResult> {
  const isNew = file.oldFileName === '/dev/null';
  const isDeleted = file.newFileName === '/dev/null';
  const name = workspacePath.safeParse(cleanName((isDeleted ? file.oldFileName : file.newFileName) ?? ''));
  if (!name.success) return errorResult('The patch names no file, or one outside the project.');
  const source = moves.get(name.data) ?? name.data;
  let text = '';
  let encode = (whole: string): Uint8Array | ToolResult => new TextEncoder().encode(whole);
  if (!isNew) {
    const read = await readText(source, context);
    if (!isReadText(read)) return read;
    ({ text } = read);
    encode = (whole) => encodeText(source, read, whole);
  }
  if (isDeleted) return [{ path: name.data, bytes: null }];
  // The library looks for each hunk at every line, and for each of its lines again.
  const looked = text.split('\n').length * file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (looked > mostLooked)
    return errorResult(
      `The patch is too long for ${source}, which is a long file. Send it in parts, or use edit_file.`,
    );
  const shown = (line: string): string => context.files.restoreHidden?.(line, text) ?? line;
  const hunks = file.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(shown) }));
  // In a file with both line ends, a patch fits by its lines alone.
  const result = applyPatch(
    text.replaceAll('\r\n', '\n'),
    { ...file, hunks },
    { fuzzFactor: 2, autoConvertLineEndings: true },
  );
  if (result === false) return notFitting(source);
  const bytes = encode(isNew ? result : withLineEnds(text, result));
  if (!isBytes(bytes)) return bytes;
  const gone = source === name.data ? [] : [{ path: source, bytes: null }];
  return [...gone, { path: name.data, bytes }];
}

/** About two seconds of work for lines that are all alike. */
const mostLooked = 20_000_000;

function cleanName(name: string): string {
  return name.replace(/^[ab]\//u, '');
}
