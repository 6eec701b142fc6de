import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { memo } from '../../lib/memo.ts';
import type { ModelRequest, ToolSpec } from '../../models/providers/define.ts';
import type { BilledPrompt } from '../../routing/trajectory/service-state.ts';
import { imageTokens } from '../../models/providers/call/image-tokens.ts';

/**
 * Estimates the tokens of a text without a tokenizer, on the safe side, and calibrates itself with the model's own
 * counts. Deterministic given the log, so that a replay cuts and summarizes at the same places.
 */
export interface TokenEstimate {
  readonly count: (text: string) => number;
  readonly countBytes: (bytes: number) => number;
  /** Call it with the model's own token count for a prompt of this size. */
  readonly calibrate: (promptBytes: number, promptTokens: number) => void;
}

/** Usual code has 3 to 4 bytes per token. Short prompts carry a template around every message. */
const SAFE_BYTES_PER_TOKEN = 2.8;
const MARGIN = 0.95;
/** Text with fewer bytes per token is rare. */
const DENSE_BYTES_PER_TOKEN = 2;
/** What a service adds around a prompt with tools. */
const FRAME_TOKENS = 512;
/** Another part of the same conversation may have more tokens than its bytes say. */
const BILLED_MARGIN = 1.1;

export function createTokenEstimate(): TokenEstimate {
  let bytesPerToken = SAFE_BYTES_PER_TOKEN;
  const countBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken);
  return {
    count: (text) => countBytes(Buffer.byteLength(text, 'utf8')),
    countBytes,
    calibrate(promptBytes, promptTokens) {
      if (promptTokens < 200 || promptBytes <= 0) return;
      bytesPerToken = Math.min(4, Math.max(1.2, (promptBytes / promptTokens) * MARGIN));
    },
  };
}

/**
 * The most tokens that a prompt of this size has for a model, for spending limits: an estimate that is too high.
 * `known`: what the service billed for the last prompt of the session; absent: nothing is known.
 */
export function mostTokens(bytes: number, known: BilledPrompt | undefined): number {
  const unknown = Math.ceil(bytes / DENSE_BYTES_PER_TOKEN) + FRAME_TOKENS;
  if (known === undefined) return unknown;
  // A conversation goes on as it began; only what is new may be dense.
  const again = (Math.min(bytes, known.bytes) * known.tokens * BILLED_MARGIN) / known.bytes;
  return Math.min(unknown, Math.ceil(again + Math.max(0, bytes - known.bytes) / DENSE_BYTES_PER_TOKEN) + 16);
}

/** The bytes of a request that become prompt: messages, tool definitions, and the prefilled start of the answer. */
export function promptBytes({ prefill, messages, model: name, imageTokens: most, tools }: ModelRequest): number {
  const opened = prefill === null ? 0 : Buffer.byteLength(prefill, 'utf8');
  return opened + messagesBytes(messages, { name, imageTokens: most }) + toolsBytes(tools);
}

type Counted = Pick<ModelInfo, 'name' | 'imageTokens'>;

export function messagesBytes(messages: readonly Message[], model: Counted): number {
  return messages.reduce((bytes, message) => bytes + messageBytes(message) + imageBytes(message, model), 0);
}

export function toolsBytes(tools: readonly ToolSpec[]): number {
  return tools.length === 0 ? 0 : definitionBytes(tools);
}

/** Memoized, because most messages of a request were in the request before. */
const messageBytes = memo((message: Message): number =>
  message.parts.reduce((bytes, part) => bytes + Buffer.byteLength(promptText(part), 'utf8'), 0),
);

const definitionBytes = memo((tools: readonly ToolSpec[]): number => Buffer.byteLength(JSON.stringify(tools), 'utf8'));

/** An image counts like a text with as many tokens. */
function imageBytes({ parts }: Message, { name, imageTokens: most }: Counted): number {
  return parts.reduce(
    (bytes, part) =>
      part.type === 'image' ? bytes + Math.ceil(imageTokens(part, name, most) * SAFE_BYTES_PER_TOKEN) : bytes,
    0,
  );
}

function promptText(part: Part): string {
  if (part.type === 'image') return '';
  return part.type === 'tool-call' ? part.name + JSON.stringify(part.input ?? {}) : part.text;
}
