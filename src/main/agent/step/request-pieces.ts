import type { Message } from '@shared/models/model-messages.ts';
import { memo } from '../../lib/memo.ts';
import type { ModelRequest, ToolSpec } from '../../models/providers/define.ts';

const firstJson = memo((message: Message) => JSON.stringify(message, withoutBytes));
const nextJson = memo((message: Message) => `,${JSON.stringify(message, withoutBytes)}`);
const toolsJson = memo((tools: readonly ToolSpec[]) => JSON.stringify(tools));

/**
 * The pieces of a request as JSON; joined, they are `JSON.stringify(request)`. Each message is a piece of its own and
 * the identical string as in the request before, because a prompt only grows at its end from step to step. The bytes of
 * an image are left out: they are in the blob that it names.
 */
export function requestPieces(request: ModelRequest): readonly string[] {
  const pieces: string[] = [];
  let open = '{';
  for (const [key, value] of Object.entries(request)) {
    if (value === undefined) continue;
    open += `${JSON.stringify(key)}:`;
    if (key === 'messages') {
      pieces.push(`${open}[`, ...request.messages.map(messageJson), ']');
      open = ',';
    } else {
      open += `${key === 'tools' ? toolsJson(request.tools) : JSON.stringify(value)},`;
    }
  }
  return [...pieces, `${open.replace(/,$/, '')}}`];
}

function messageJson(message: Message, index: number): string {
  return index === 0 ? firstJson(message) : nextJson(message);
}

function withoutBytes(_key: string, value: unknown): unknown {
  const isKept = typeof value === 'object' && value !== null && 'blob' in value && 'data' in value;
  return isKept ? { ...value, data: '' } : value;
}
