import type OpenAI from 'openai';
import { z } from 'zod';
import type { Effort } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../define.ts';
import type { AssistantTurn, FittedTurn, UserPart } from '../call/fit-history.ts';
import { fitHistory } from '../call/fit-history.ts';
import { schemaForWire } from '../call/wire-schema.ts';
import type { ModelTarget } from '../api/api-provider.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type WireRequest = OpenAI.Responses.ResponseCreateParamsStreaming;

/** What is kept of a reasoning item, to send it back in later requests. */
export const reasoningStateSchema = z.object({
  id: z.string(),
  summary: z.array(z.string()),
  encrypted: z.string(),
});

/** The service refuses longer keys. */
const LONGEST_CACHE_KEY = 64;
const LEAST_OUTPUT_TOKENS = 16;

/**
 * Converts our request to the Responses API. The service stores nothing (`store: false`), so the whole history is
 * sent each time, including this model's own encrypted reasoning.
 */
export function toResponsesWire(request: ModelRequest, target: ModelTarget): WireRequest {
  const history = fitHistory(request.messages, {
    by: target.by,
    images: target.images,
    callId: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 },
  });
  return {
    model: request.model,
    ...(history.system === '' ? {} : { instructions: history.system }),
    input: history.turns.flatMap(items),
    stream: true,
    store: false,
    max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, request.maxOutputTokens),
    prompt_cache_key: request.cacheKey.slice(-LONGEST_CACHE_KEY),
    ...(target.reasoning
      ? { include: ['reasoning.encrypted_content'], ...effortFields(request.effort) }
      : { temperature: request.temperature, top_p: request.topP }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
    ...textFormat(request),
  };
}

/**
 * Does not ask for summaries of the reasoning, because the service refuses them to accounts without a verified
 * identity.
 */
function effortFields(effort: Effort | undefined): Pick<WireRequest, 'reasoning'> {
  if (effort === undefined) return {};
  // Not every OpenAI model knows the highest level. All that are sold today know the one below.
  return { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } };
}

function toWireTool(tool: ModelRequest['tools'][number]): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: schemaForWire(tool.inputSchema),
    // Strict schemas must list every property as required, but ours have optional ones.
    strict: false,
  };
}

function textFormat({ output }: ModelRequest): Pick<WireRequest, 'text'> {
  if (output.type === 'json-schema') {
    const schema = schemaForWire(output.schema);
    return { text: { format: { type: 'json_schema', name: 'answer', schema, strict: false } } };
  }
  return {};
}

function items(turn: FittedTurn): readonly Item[] {
  if (turn.role === 'user') return [{ type: 'message', role: 'user', content: turn.parts.map(userContent) }];
  const results = turn.results.map((result) => ({
    type: 'function_call_output' as const,
    call_id: result.id,
    output: result.text,
  }));
  return [...turn.parts.flatMap((part) => assistantItem(part)), ...results];
}

function userContent(part: UserPart): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', detail: 'auto', image_url: `data:${part.mediaType};base64,${part.data}` };
}

function assistantItem(part: AssistantTurn['parts'][number]): readonly Item[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'message', role: 'assistant', content: part.text }];
    case 'reasoning':
      return part.state === undefined ? [] : [reasoningItem(part.state)];
    case 'tool-call':
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.input) }];
    default:
      return part satisfies never;
  }
}

/** The state as `responses-stream.ts` wrote it. */
function reasoningItem(state: string): OpenAI.Responses.ResponseReasoningItem {
  const { id, summary, encrypted } = reasoningStateSchema.parse(JSON.parse(state));
  return {
    type: 'reasoning',
    id,
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    encrypted_content: encrypted,
  };
}
