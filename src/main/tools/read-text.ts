import type { ToolContext, ToolResult } from './define.ts';
import { errorResult, failureResult } from './results.ts';

export interface ReadText {
  readonly text: string;
  readonly sha256: string;
}

/** A text file of the workspace, and note that the model has now seen this version of it. */
export async function readText(path: string, context: ToolContext): Promise<ReadText | ToolResult> {
  const reply = await context.sandbox.readFile(path, {}, context.signal);
  if (!reply.ok) return failureResult(reply.error);
  if (reply.value.bytes.subarray(0, 8000).includes(0)) return errorResult(`${path} is a binary file.`);
  context.noteRead(path, reply.value.sha256);
  return { text: new TextDecoder().decode(reply.value.bytes), sha256: reply.value.sha256 };
}

export function isReadText(value: ReadText | ToolResult): value is ReadText {
  return 'text' in value;
}
