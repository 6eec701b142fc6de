import type { Message, Part } from '@shared/models/model-messages.ts';

/** Random numbers from a seed, the same on every machine. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    chance: (share) => next() < share,
    pick: (items) => {
      const at = below(items.length);
      for (const [index, item] of items.entries()) if (index === at) return item;
      throw new Error('nothing to pick from');
    },
  };
}

export interface Dice {
  readonly below: (count: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
}

/** A model that may have written a part of a history: how it names its calls, and what it needs returned. */
export interface Writer {
  readonly by: string;
  readonly callId: (dice: Dice, count: number) => string;
  readonly reasoning: (text: string) => Part | null;
  readonly callState: string | null;
}

const letters = (dice: Dice, count: number): string =>
  Array.from({ length: count }, () => dice.pick('abcdefghijkmnpqrstuvwxyzABCDEFGH23456789'.split(''))).join('');

/** The prefix of everything that a model signs, so that a validator knows whose it is. */
export const signed = (by: string): string => `sig:${by}:`;

export const writers: readonly Writer[] = [
  ...['claude-opus-5', 'claude-opus-4-5'].map((model): Writer => {
    const by = `anthropic/${model}`;
    return {
      by,
      callId: (dice) => `toolu_01${letters(dice, 22)}`,
      reasoning: (text) => ({
        type: 'reasoning',
        text,
        by,
        state: JSON.stringify({ type: 'thinking', thinking: text, signature: `${signed(by)}${text.length}` }),
      }),
      callState: null,
    };
  }),
  {
    by: 'openai/gpt-6-sol',
    callId: (dice) => `call_${letters(dice, 24)}`,
    reasoning: (text) => ({
      type: 'reasoning',
      text,
      by: 'openai/gpt-6-sol',
      state: JSON.stringify({ id: 'rs_1', summary: [text], encrypted: `${signed('openai/gpt-6-sol')}x` }),
    }),
    callState: null,
  },
  ...['gemini-3.8-flash', 'gemini-2.5-pro'].map((model): Writer => ({
    by: `gemini/${model}`,
    callId: (_dice, count) => `call-${count % 2}`,
    reasoning: (text) => ({ type: 'reasoning', text }),
    callState: `${signed(`gemini/${model}`)}call`,
  })),
  {
    by: 'deepseek/deepseek-v4-pro',
    callId: (dice) => `call_00_${letters(dice, 20)}`,
    reasoning: (text) => ({ type: 'reasoning', text, by: 'deepseek/deepseek-v4-pro' }),
    callState: null,
  },
  {
    by: 'openrouter/google/gemini-3.8-flash',
    callId: (dice) => `tool_0_${letters(dice, 40)}`,
    reasoning: (text) => ({
      type: 'reasoning',
      text,
      by: 'openrouter/google/gemini-3.8-flash',
      state: JSON.stringify([
        { type: 'reasoning.encrypted', data: `${signed('openrouter/google/gemini-3.8-flash')}x` },
      ]),
    }),
    callState: null,
  },
  { by: 'mistral/devstral-2512', callId: (dice) => letters(dice, 9), reasoning: () => null, callState: null },
  // A local model. It numbers the calls of each answer from 0, and its reasoning is not kept.
  { by: 'openai-compatible/m', callId: () => 'call_0', reasoning: () => null, callState: null },
];

const texts = [
  'Read the file.',
  'ü é 漢字 🙂',
  '',
  '   \n\t',
  'cut here: \ud83d',
  '\ude00 begins badly',
  'zero \0 byte',
  '<tool_result>no</tool_result>',
  '{"json": true}',
  'x'.repeat(500),
];
const names = ['read_file', 'run_command', 'functions.read_file', '', '9lives', 'näme', 'a'.repeat(90), '-dash'];
const inputs: readonly unknown[] = [
  {},
  { path: 'a.py' },
  { path: 'bad \ud83d', deep: { list: ['\udc00', 1, null] } },
  '{"path":"a.py"}',
  '{"path": "half',
  'words',
  null,
  undefined,
  [1, 2],
  7,
];
const image: Part = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };

/** Whole steps, as in real sessions: models change now and then, calls may be cancelled, results may be empty. */
export function sessionHistory(dice: Dice, crew: readonly Writer[]): Message[] {
  const messages: Message[] = [
    { role: 'system', parts: [{ type: 'text', text: 'You are a coding agent.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Repair the test.' }, ...(dice.chance(0.2) ? [image] : [])] },
  ];
  let writer = dice.pick(crew);
  let count = 0;
  for (let step = dice.below(8); step >= 0; step -= 1) {
    if (dice.chance(0.25)) writer = dice.pick(crew);
    const parts: Part[] = [];
    const thought = dice.chance(0.6) ? writer.reasoning(`thought ${step}`) : null;
    if (thought !== null) parts.push(thought);
    if (dice.chance(0.6)) parts.push({ type: 'text', text: dice.pick(texts) });
    const calls = Array.from({ length: dice.below(4) }, (_unused, place): Part & { type: 'tool-call' } => {
      count += 1;
      return {
        type: 'tool-call',
        id: writer.callId(dice, count),
        name: dice.pick(names.slice(0, 3)),
        input: dice.pick(inputs),
        ...(writer.callState === null || place > 0 ? {} : { by: writer.by, state: writer.callState }),
      };
    });
    messages.push({ role: 'assistant', parts: [...parts, ...calls] });
    for (const call of calls) {
      if (dice.chance(0.1)) continue;
      messages.push({ role: 'tool', parts: [resultOf(dice, call.id, call.name)] });
    }
    if (dice.chance(0.2)) messages.push({ role: 'user', parts: [{ type: 'text', text: dice.pick(texts) }] });
  }
  return messages;
}

function resultOf(dice: Dice, id: string, name: string): Part {
  return { type: 'tool-result', id, name, text: dice.pick(texts), isError: dice.chance(0.3) };
}

/**
 * Anything that the type allows, in any order. Dewpoint never writes such a history, but a damaged log could hold it.
 */
export function wildHistory(dice: Dice): Message[] {
  const ids = ['', 'call_0', 'call_0', 'a b/c', '漢字', 'x'.repeat(200), letters(dice, 9)];
  const part = (): Part => {
    const kind = dice.below(6);
    const writer = dice.pick(writers);
    if (kind === 0) return image;
    if (kind === 1) return writer.reasoning('a thought') ?? { type: 'reasoning', text: 'local' };
    if (kind === 2 || kind === 3)
      return {
        type: 'tool-call',
        id: dice.pick(ids),
        name: dice.pick(names),
        input: dice.pick(inputs),
        ...(writer.callState === null ? {} : { by: writer.by, state: writer.callState }),
      };
    if (kind === 4) return resultOf(dice, dice.pick(ids), dice.pick(names));
    return { type: 'text', text: dice.pick(texts) };
  };
  return Array.from({ length: dice.below(9) }, () => ({
    role: dice.pick(['system', 'user', 'assistant', 'tool'] as const),
    parts: Array.from({ length: dice.below(5) }, part),
  }));
}
