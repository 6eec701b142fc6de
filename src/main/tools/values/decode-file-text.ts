import { failure } from '@shared/errors.ts';
import { fileText, type FileText } from '../../lib/files/file-text.ts';
import type { FileContent } from '../../sandbox/sandbox.ts';
import type { ToolContext, ToolResult } from '../define.ts';
import { errorResult, failureResult } from './tool-results.ts';

export interface ReadText extends FileText {
  readonly sha256: string;
}

/** Reads a text file of the workspace, and notes that the model has now seen this version. */
export async function readText(path: string, context: ToolContext): Promise<ReadText | ToolResult> {
  const reply = await context.sandbox.files.read(path, {}, context.signal);
  return reply.ok ? textIn(path, reply.value, context) : failureResult(reply.error);
}

/** The same for a file that was read already. */
export function textIn(path: string, { bytes, sha256 }: FileContent, context: ToolContext): ReadText | ToolResult {
  const read = fileText(bytes);
  if (read === null) return errorResult(`${path} is a binary file.`);
  context.files.noteRead(path, sha256);
  return { ...read, sha256 };
}

export function isReadText(value: ReadText | ToolResult): value is ReadText {
  return 'text' in value;
}

/** The bytes of a changed text in the encoding of its file. */
export function encodeText(path: string, file: FileText, text: string): Uint8Array | ToolResult {
  const encoded = file.encode(text);
  if (encoded.ok) return encoded.bytes;
  const hint = 'Use ASCII and letters that the file has, or a command that knows its encoding.';
  return failureResult(failure('bad-input', `${path} was not changed: ${encoded.why}.`, hint).error);
}

export function isBytes(value: Uint8Array | ToolResult): value is Uint8Array {
  return value instanceof Uint8Array;
}
