import type { ToolContext, ToolResult } from '../define.ts';
import { errorResult, failureResult } from './tool-results.ts';
import { utf8Text } from '../../lib/utf8-text.ts';

export interface ReadText {
  /** Without a byte order mark. */
  readonly text: string;
  readonly sha256: string;
  /** Encodes a new text for the same file. Null: the file is not UTF-8, so encoding would change more than the text. */
  readonly encode: ((text: string) => Uint8Array) | null;
}

const byteOrderMark = '\uFEFF';

/** Reads a text file of the workspace, and notes that the model has now seen this version. */
export async function readText(path: string, context: ToolContext): Promise<ReadText | ToolResult> {
  const reply = await context.sandbox.readFile(path, {}, context.signal);
  if (!reply.ok) return failureResult(reply.error);
  const { bytes, sha256 } = reply.value;
  if (bytes.subarray(0, 8000).includes(0)) return errorResult(`${path} is a binary file.`);
  context.noteRead(path, sha256);
  const whole = utf8Text(bytes);
  // It is shown as well as possible, and cannot be written back.
  if (whole === null) return { text: new TextDecoder().decode(bytes), sha256, encode: null };
  const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
  return { text: whole.slice(mark.length), sha256, encode: (text) => new TextEncoder().encode(mark + text) };
}

export function isReadText(value: ReadText | ToolResult): value is ReadText {
  return 'text' in value;
}

/** Writing such a file as UTF-8 would change the bytes of its other characters. */
export function notUtf8(path: string): ToolResult {
  return errorResult(`${path} is not UTF-8, so it cannot be edited here: use a command that knows its encoding.`);
}
