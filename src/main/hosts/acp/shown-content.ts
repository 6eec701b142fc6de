import { posix, win32 } from 'node:path';
import type { Diff, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { imageTypeSchema } from '@shared/models/model-messages.ts';
import { printable } from '@shared/text/seen-text.ts';
import type { ToolDetail } from '@shared/contract/sessions-contract.ts';
import type { Picture } from '@shared/tools/canvas.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The most of an output that an editor gets, in characters. The log has everything. */
const mostOutput = 20_000;
/** Nobody reads more before an answer, and not every editor can show it. */
const mostDecided = 2_000_000;

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  read_instructions: 'read',
  gather_facts: 'read',
  map_project: 'read',
  outline: 'read',
  read_git: 'read',
  show_page: 'read',
  find_symbol: 'search',
  list_files: 'search',
  search: 'search',
  search_documents: 'search',
  edit_file: 'edit',
  write_file: 'edit',
  apply_patch: 'edit',
  rename_symbol: 'edit',
  apply_change: 'edit',
  delete_file: 'delete',
  run_command: 'execute',
  calculate: 'execute',
  run_tests: 'execute',
  run_notebook: 'execute',
  services: 'execute',
};

export function kindOf(tool: string): ToolKind {
  return Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'other') : 'other';
}

/** Output that others wrote, in a code fence that nothing in it can close. A long one is cut, because nobody decides by it. */
export function fenceText(text: string): ToolCallContent {
  const shown = printable(text);
  return inFence(shown.length > mostOutput ? `${shown.slice(0, mostOutput)}\n(cut; the session has all of it)` : shown);
}

/** The whole of a text that the user decides by, in as many code fences as it needs. Null: it is too long for that. */
export function fencedWhole(text: string): ToolCallContent[] | null {
  const shown = printable(text);
  if (shown.length > mostDecided) return null;
  const pieces: ToolCallContent[] = [];
  let piece = '';
  for (const line of shown.split('\n')) {
    if (piece !== '' && piece.length + line.length > mostOutput) {
      pieces.push(inFence(piece));
      piece = '';
    }
    piece += `${line}\n`;
  }
  return [...pieces, inFence(piece)];
}

function inFence(text: string): ToolCallContent {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return textContent(`${fence}\n${text.trimEnd()}\n${fence}`);
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** SVG images are left out: the window draws them without running scripts, but an editor might run them. */
export function pictureContent({ mediaType, data }: Picture): ToolCallContent[] {
  if (!imageTypeSchema.safeParse(mediaType).success) return [];
  return [{ type: 'content', content: { type: 'image', data, mimeType: mediaType } }];
}

/** The absolute path of a workspace file, as editors need it. Null: it leads outside, or is invalid. */
export function wholePath(workspace: string, path: string): string | null {
  const paths = /^[A-Za-z]:[\\/]/u.test(workspace) ? win32 : posix;
  if (path === '' || path.includes('\0')) return null;
  const whole = paths.resolve(workspace, path);
  const inside = paths.relative(workspace, whole);
  return inside.startsWith('..') || paths.isAbsolute(inside) ? null : whole;
}

/** The place that a call reads or writes, from its arguments. */
export function locationsOf(workspace: string, input: unknown): ToolCallLocation[] {
  const path = fieldOf(input, 'path');
  const line = fieldOf(input, 'from');
  const whole = typeof path === 'string' ? wholePath(workspace, path) : null;
  if (whole === null) return [];
  return [{ path: whole, ...(typeof line === 'number' && Number.isInteger(line) && line > 0 ? { line } : {}) }];
}

/** A change of a file as diffs for the editor: one for each hunk, with the lines around it. */
export function diffsOf(workspace: string, { path, diff }: ToolDetail['changes'][number]): ToolCallContent[] {
  const whole = wholePath(workspace, path);
  if (whole === null || diff === null) return [];
  const [header = '', ...hunks] = hunksOf(diff);
  const isNew = header.startsWith('--- /dev/null');
  return hunks.map((hunk) => {
    const { before, after } = sidesOf(hunk);
    const piece: Diff = { path: whole, oldText: isNew ? null : before, newText: after };
    return { type: 'diff', ...piece };
  });
}

/** The part before the first hunk, then each hunk without its head. */
function hunksOf(diff: string): readonly string[] {
  const parts: string[][] = [[]];
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@ ')) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\n'));
}

function sidesOf(hunk: string): { readonly before: string; readonly after: string } {
  let [before, after] = ['', ''];
  let last = ' ';
  for (const line of hunk.split('\n')) {
    const mark = line.slice(0, 1);
    const text = `${line.slice(1)}\n`;
    if (mark === '\\') {
      // The line before it has no line break at its end.
      if (last !== '+') before = before.slice(0, -1);
      if (last !== '-') after = after.slice(0, -1);
      continue;
    }
    if (mark === ' ' || mark === '-') before += text;
    if (mark === ' ' || mark === '+') after += text;
    last = mark;
  }
  return { before, after };
}
