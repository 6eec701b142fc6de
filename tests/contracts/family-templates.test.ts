import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { SpecialToken, SpecialTokensText, resolveChatWrapper } from 'node-llama-cpp';
import type { ChatHistoryItem } from 'node-llama-cpp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import {
  chatMlStyleOf,
  contentOf,
  isChatMl,
  renderChatMl,
} from '../../src/main/models/engine/worker/prompt/render-chat.ts';
import { createTemplateRenderer } from '../../src/main/models/engine/worker/prompt/template-renderer.ts';
import { thinkingSwitchOf } from '../../src/main/models/engine/thinking-switch.ts';
import { parseOffered } from '../../src/main/models/suggest/offered-models.ts';
import { fetchTemplates, templateFolder } from './chat-templates.ts';

/**
 * Catches: a prompt that differs from what a family was trained on, even by a line break. The templates are real: they
 * are in the llama.cpp source of the engine's package. Known differences are listed with their reason. A fix removes
 * its line.
 */
const templates: Readonly<Record<string, { readonly file: string; readonly families: readonly string[] }>> = {
  'Qwen3.5': { file: 'Qwen3.5-4B', families: ['qwen3.5'] },
  'Qwen3-Coder': { file: 'Qwen3-Coder', families: ['qwen3-coder'] },
  'gpt-oss': { file: 'openai-gpt-oss-120b', families: ['gpt-oss'] },
  'Gemma 4': { file: 'google-gemma-4-31B-it', families: ['gemma-4'] },
  'GLM 4.7 Flash': { file: 'GLM-4.7-Flash', families: ['glm-4.7'] },
  'LFM 2.5 8B-A1B': { file: 'LFM2.5-8B-A1B', families: ['lfm2.5'] },
  'Muse Glimmer': { file: 'muse-glimmer', families: ['muse-glimmer'] },
  'Cohere 2 MoE': { file: 'Cohere2MoE', families: ['north'] },
  'Laguna XS 2.1': { file: 'poolside-Laguna-XS-2.1', families: ['laguna'] },
  'Laguna S 2.1': { file: 'poolside-Laguna-S-2.1', families: ['laguna'] },
  'MiniCPM 5': { file: 'openbmb-MiniCPM5-1B', families: ['minicpm5'] },
  'Ministral 3': { file: 'mistralai-Ministral-3-14B-Reasoning-2512', families: ['ministral-3'] },
  'Qwen2.5 (the starter)': { file: 'Qwen-Qwen2.5-7B-Instruct', families: [] },
};

const differs: Readonly<Record<string, string>> = {
  'Cohere 2 MoE': 'the template opens thinking whatever it is told; it is closed again, for answers come without',
};

beforeAll(fetchTemplates, 120_000);

const [bos, eos] = ['[BOS]', '[EOS]'];
const step = (number: number): readonly Message[] => [
  {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: `${number}`, name: 'read_file', input: { path: `src/${number}.py` } }],
  },
  {
    role: 'tool',
    parts: [
      { type: 'tool-result', id: `${number}`, name: 'read_file', text: `def f${number}():\n    pass`, isError: false },
    ],
  },
];
const conversation: readonly Message[] = [
  textMessage('system', 'You are a careful programmer.'),
  textMessage('user', 'Fix the failing test.'),
  ...[1, 2, 3].flatMap(step),
];

/** The engine receives results as user messages, except where Dewpoint writes the prompt itself. */
const roleOf = ({ role }: Message, isOurs: boolean): string => (role === 'tool' && !isOurs ? 'user' : role);

function expected(template: string): readonly string[] {
  const messages = conversation.map((message) => ({
    role: roleOf(message, isChatMl(template)),
    content: contentOf(message),
  }));
  const given = { messages, add_generation_prompt: true, bos_token: bos, eos_token: eos };
  // Thinking is either left to the template or off.
  return [{}, { enable_thinking: false }].map((more) => new Template(template).render({ ...given, ...more }));
}

function ours(name: string, template: string): string {
  if (isChatMl(template)) {
    const { fragments } = renderChatMl(conversation, '', chatMlStyleOf(template));
    return fragments.map(({ text }) => text).join('');
  }
  const renderer = createTemplateRenderer(template, { bos, eos });
  if (renderer !== null)
    return renderer
      .render(conversation, '')
      .map(({ text }) => text)
      .join('');
  const fileInfo = {
    metadata: { general: { architecture: 'llama', name }, tokenizer: { chat_template: template, ggml: {} } },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a header it reads these fields alone
  const wrapper = resolveChatWrapper({
    type: 'auto',
    bosString: bos,
    filename: `${name}.gguf`,
    fileInfo: fileInfo as never,
    warningLogs: false,
  });
  if (wrapper === null) throw new Error(`the engine has no way to write for ${name}`);
  const history = conversation.map((message): ChatHistoryItem => {
    const text = contentOf(message);
    if (message.role === 'assistant') return { type: 'model', response: [text] };
    return message.role === 'system' ? { type: 'system', text } : { type: 'user', text };
  });
  const { contextText } = wrapper.generateContextState({ chatHistory: [...history, { type: 'model', response: [] }] });
  return contextText.values
    .map((value) => {
      if (value instanceof SpecialTokensText) return value.value;
      if (value instanceof SpecialToken)
        return value.value === 'BOS' ? bos : value.value === 'EOS' ? eos : `[${value.value}]`;
      return typeof value === 'string' ? value : '';
    })
    .join('');
}

describe('the prompt of a tool conversation of three steps', () => {
  it.each(Object.entries(templates))("matches the family's own template: %s", (name, { file }) => {
    const template = readFileSync(join(templateFolder, `${file}.jinja`), 'utf8');
    const written = ours(file, template);
    if (differs[name] === undefined) expect(expected(template)).toContain(written);
    else expect(expected(template), `equal now, take it out of the list: ${differs[name]}`).not.toContain(written);
  });

  it('opens and closes thoughts in every template with a switch for them', () => {
    const asked = [textMessage('user', 'Why?')];
    const faults = readdirSync(templateFolder).flatMap((file) => {
      const template = readFileSync(join(templateFolder, file), 'utf8');
      const found = thinkingSwitchOf(template);
      const renderer = found === null ? null : createTemplateRenderer(template, { bos, eos });
      if (found === null || renderer === null) return found === null ? [] : [`${file}: not read`];
      const { opening, closing } = found.style;
      const text = (thinking?: { readonly effort: 'low'; readonly mostTokens: number }): string =>
        renderer
          .render(asked, '', thinking)
          .map((piece) => piece.text)
          .join('');
      const opens = text({ effort: 'low', mostTokens: 9 }).trimEnd().endsWith(opening.trim());
      const isOff = !text().trimEnd().endsWith(opening.trim());
      return opens && isOff && renderer.thoughts?.end.includes(closing) === true ? [] : [file];
    });
    expect(faults).toEqual([]);
  });

  it('is checked for every family of the catalog whose template comes with the engine', () => {
    const { models } = parseOffered(JSON.parse(readFileSync('resources/catalog.json', 'utf8')));
    const families = [...new Set(models.map(({ family }) => family))].sort();
    const covered = [...new Set(Object.values(templates).flatMap(({ families: own }) => own))].sort();
    expect(covered.filter((family) => !families.includes(family))).toEqual([]);
    expect(families.filter((family) => !covered.includes(family))).toEqual([
      'devstral',
      'granite-4',
      'ling-3.0',
      'nemotron-3.5',
      'ornith',
      'qwen3.6',
      'qwen3.8',
    ]);
    expect(readdirSync(templateFolder).length).toBeGreaterThan(50);
  });
});
