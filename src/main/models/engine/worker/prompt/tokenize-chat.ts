import type { ChatHistoryItem, ChatWrapper, Token } from 'node-llama-cpp';
import type { Message } from '@shared/models/model-messages.ts';
import type { Engine } from '../load/load-model.ts';
import { contentOf, renderChatMl } from './render-chat.ts';
import type { TemplateRenderer } from './template-renderer.ts';
import type { EngineRequest } from '../worker-protocol.ts';

export interface TokenizedPrompt {
  readonly tokens: readonly Token[];
  /** The number of tokens of the system message with its template. 0 if unknown. */
  readonly systemTokens: number;
  /** The text that begins the answer, as it was tokenized: role and prefill. Null if unknown. */
  readonly opening: string | null;
}

/** Tokens of earlier texts: the long parts of a conversation, and answers in the model's own tokens. */
export interface TokenMemory {
  get(text: string): readonly Token[] | undefined;
  set(text: string, tokens: readonly Token[]): void;
}

/** Drops the least recently used text first. */
export function createTokenMemory(most = 256): TokenMemory {
  const known = new Map<string, readonly Token[]>();
  return {
    get(text) {
      const tokens = known.get(text);
      if (tokens !== undefined) {
        known.delete(text);
        known.set(text, tokens);
      }
      return tokens;
    },
    set(text, tokens) {
      known.delete(text);
      known.set(text, tokens);
      const oldest = known.keys().next();
      if (known.size > most && oldest.done !== true) known.delete(oldest.value);
    },
  };
}

/** The prompt as the model gets it. The text of messages never becomes control tokens. */
export function tokenizeChat(engine: Engine, memory: TokenMemory, request: EngineRequest): TokenizedPrompt {
  if (engine.template.type === 'model') return tokenizeByModel(engine, request);
  if (engine.template.type === 'own') return tokenizeByTemplate(engine, engine.template.renderer, request);
  const { model } = engine;
  const rendered = renderChatMl(request.messages, request.prefill ?? '', engine.template.style);
  const tokens: Token[] = model.tokens.shouldPrependBosToken && model.tokens.bos !== null ? [model.tokens.bos] : [];
  let systemTokens = 0;
  for (const [index, fragment] of rendered.fragments.entries()) {
    for (const token of tokensOf(engine, memory, fragment.text, fragment.isControl)) tokens.push(token);
    if (index + 1 === rendered.systemFragments) systemTokens = tokens.length;
  }
  return { tokens, systemTokens, opening: rendered.fragments.at(-1)?.text ?? null };
}

function tokensOf(engine: Engine, memory: TokenMemory, text: string, isControl: boolean): readonly Token[] {
  const key = isControl ? `\0${text}` : text;
  const known = memory.get(key);
  if (known !== undefined) return known;
  const tokens = engine.model.tokenize(text, isControl);
  memory.set(key, tokens);
  return tokens;
}

/** Uses the template in the model's file. */
function tokenizeByTemplate(engine: Engine, renderer: TemplateRenderer, request: EngineRequest): TokenizedPrompt {
  const { LlamaText, SpecialTokensText } = engine.library;
  const { tokens: known, tokenizer } = engine.model;
  const fragments = renderer.render(request.messages, request.prefill ?? '', request.thinking);
  const text = new LlamaText(
    fragments.map(({ text: part, isControl }) => (isControl ? new SpecialTokensText(part) : part)),
  );
  const tokens = text.tokenize(tokenizer);
  const bos = known.shouldPrependBosToken ? known.bos : null;
  const hasBos = bos === null || tokens[0] === bos;
  return { tokens: hasBos ? tokens : [bos, ...tokens], systemTokens: 0, opening: null };
}

/** Kept, because the library tries the template to find a wrapper. That takes longer than a short answer. */
const wrappers = new WeakMap<Engine['model'], ChatWrapper>();

/** Used if the file has no template, or one that cannot be parsed. The engine library knows some families. */
function tokenizeByModel(engine: Engine, request: EngineRequest): TokenizedPrompt {
  const wrapper = wrappers.get(engine.model) ?? engine.library.resolveChatWrapper(engine.model);
  wrappers.set(engine.model, wrapper);
  const chatHistory: ChatHistoryItem[] = request.messages.map(historyItemOf);
  if (chatHistory.at(-1)?.type !== 'model') chatHistory.push({ type: 'model', response: [] });
  const { contextText } = wrapper.generateContextState({ chatHistory });
  const tokens = contextText.tokenize(engine.model.tokenizer);
  const prefill =
    request.prefill === null || request.prefill === '' ? [] : engine.model.tokenize(request.prefill, false);
  return { tokens: [...tokens, ...prefill], systemTokens: 0, opening: null };
}

function historyItemOf(message: Message): ChatHistoryItem {
  switch (message.role) {
    case 'system':
      return { type: 'system', text: contentOf(message) };
    case 'assistant':
      return { type: 'model', response: [contentOf(message)] };
    case 'user':
    case 'tool':
      return { type: 'user', text: contentOf(message) };
    default:
      return message.role satisfies never;
  }
}
