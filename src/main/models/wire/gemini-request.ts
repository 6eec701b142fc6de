import type { Effort } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../providers/define.ts';
import type { AssistantTurn, FittedTurn, UserPart } from '../providers/call/fit-history.ts';
import { fitHistory } from '../providers/call/fit-history.ts';
import { schemaForWire } from '../providers/call/wire-schema.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';

interface WirePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionCall?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
  readonly functionResponse?: { readonly name: string; readonly response: Readonly<Record<string, unknown>> };
}

interface WireContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly WirePart[];
}

export interface GeminiRequest {
  readonly systemInstruction?: { readonly parts: readonly WirePart[] };
  readonly contents: readonly WireContent[];
  readonly tools?: readonly { readonly functionDeclarations: readonly object[] }[];
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

/** The service accepts this instead of its own signature, for calls that another model made. */
const callOfOtherModel = 'skip_thought_signature_validator';

/** Converts our request to `streamGenerateContent`. The service caches prompt beginnings by itself. */
export function encodeGeminiRequest(request: ModelRequest, target: ModelTarget): GeminiRequest {
  const history = fitHistory(request.messages, {
    by: target.by,
    images: target.images,
    // Calls and results are matched by position. Ids are not sent.
    callId: { pattern: /^.{1,64}$/u, length: 24 },
  });
  const signs = signsCalls(request.model);
  const { system } = history;
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: history.turns.flatMap((turn) => wireContents(turn, signs)),
    ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations: request.tools.map(toWireTool) }] }),
    generationConfig: {
      maxOutputTokens: request.maxOutputTokens,
      temperature: request.temperature,
      topP: request.topP,
      ...(request.seed === null ? {} : { seed: request.seed }),
      ...(request.stop.length === 0 ? {} : { stopSequences: request.stop.slice(0, 5) }),
      ...(target.reasoning ? { thinkingConfig: thinkingOf(request) } : {}),
      ...outputForm(request),
    },
  };
}

/** From the third generation on, a call must be sent back with its signature. */
function signsCalls(model: string): boolean {
  return !/gemini-(1|2)[.-]/u.test(model);
}

const thinkingTokens: Readonly<Record<Effort, number>> = {
  none: 0,
  low: 2048,
  medium: 8192,
  high: 16_384,
  max: 24_576,
};
const thinkingLevels = { none: 'minimal', low: 'low', medium: 'medium', high: 'high', max: 'high' } as const;

function thinkingOf({ model, effort }: ModelRequest): object {
  if (effort === undefined) return { includeThoughts: true };
  if (signsCalls(model)) {
    // The large models have no level below "low".
    const level = effort === 'none' && model.includes('pro') ? 'low' : thinkingLevels[effort];
    return { includeThoughts: effort !== 'none', thinkingLevel: level };
  }
  const least = model.includes('pro') ? 128 : 0;
  return { includeThoughts: effort !== 'none', thinkingBudget: Math.max(least, thinkingTokens[effort]) };
}

function outputForm({ output }: ModelRequest): object {
  if (output.type === 'json-schema')
    return { responseMimeType: 'application/json', responseJsonSchema: schemaForWire(output.schema) };
  if (output.type === 'choice')
    return { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: [...output.options] } };
  return {};
}

function toWireTool(tool: ModelRequest['tools'][number]): object {
  return {
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: schemaForWire(tool.inputSchema),
  };
}

function wireContents(turn: FittedTurn, signs: boolean): readonly WireContent[] {
  if (turn.role === 'user') return [{ role: 'user', parts: turn.parts.map(userPart) }];
  const said: WireContent = { role: 'model', parts: modelParts(turn, signs) };
  if (turn.results.length === 0) return [said];
  const results = turn.results.map(({ name, text, isError }) => ({
    functionResponse: { name, response: isError ? { error: text } : { output: text } },
  }));
  return [said, { role: 'user', parts: results }];
}

function userPart(part: UserPart): WirePart {
  if (part.type === 'text') return { text: part.text };
  return { inlineData: { mimeType: part.mediaType, data: part.data } };
}

/** Thoughts are not sent back, but the signatures of calls are. Of parallel calls, only the first has one. */
function modelParts(turn: AssistantTurn, signs: boolean): readonly WirePart[] {
  let isFirst = true;
  return turn.parts.flatMap((part): WirePart[] => {
    if (part.type === 'reasoning') return [];
    if (part.type === 'text') return [{ text: part.text }];
    const signature = part.state ?? (signs && isFirst ? callOfOtherModel : null);
    isFirst = false;
    const call = { functionCall: { name: part.name, args: part.input } };
    return [signature === null ? call : { ...call, thoughtSignature: signature }];
  });
}
