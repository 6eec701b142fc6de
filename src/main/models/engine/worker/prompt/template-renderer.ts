import { Template } from '@huggingface/jinja';
import type { Message } from '@shared/models/model-messages.ts';
import { contentOf } from './render-chat.ts';
import type { Fragment } from './render-chat.ts';

/** Renders conversations by the template that came with a model's file. */
export interface TemplateRenderer {
  /** The prompt up to where the answer goes on. Words of a message are fragments of their own, never control text. */
  render(messages: readonly Message[], prefill: string): readonly Fragment[];
}

/** What templates write for their control tokens. */
export interface TemplateMarks {
  readonly bos: string;
  readonly eos: string;
}

type Role = 'system' | 'user' | 'assistant';

interface Turn {
  readonly role: Role;
  readonly content: string;
}

/** Of the private use area: templates and models have no use for them. */
const [opening, closing] = ['\uE0F0', '\uE0F1'];
/** Thinking that a template opened before the answer although it was told not to, and what ends it. */
const opened: readonly (readonly [RegExp, string])[] = [
  [/<think>\s*$/u, '\n</think>\n\n'],
  [/<\|START_THINKING\|>\s*$/u, '<|END_THINKING|>'],
  [/\[THINK\]\s*$/u, '[/THINK]'],
];
/** The names under which templates ask whether to think. */
const withoutThinking = { enable_thinking: false, thinking: false };

/**
 * Null where the template cannot be read here, or refuses a conversation of a system message, a question, an answer and a
 * question. The model answers without thinking where its template knows a way.
 */
export function createTemplateRenderer(source: string, marks: TemplateMarks): TemplateRenderer | null {
  const parsed = parse(source);
  if (parsed === null) return null;
  const write = (turns: readonly Turn[]): string =>
    parsed.render({
      messages: turns.map((turn) => ({ ...turn })),
      add_generation_prompt: true,
      bos_token: marks.bos,
      eos_token: marks.eos,
      ...withoutThinking,
    });
  const habits = habitsOf(write);
  if (habits === null) return null;
  return {
    render(messages, prefill) {
      const turns = turnsOf(messages, habits.takesSystem);
      const contents = turns.map(({ role, content }) => (habits.trims.has(role) ? content.trim() : content));
      const text = write(turns.map(({ role }, at) => ({ role, content: `${opening}${at}${closing}` })));
      const fragments = piecesOf(text, contents);
      const end = opened.find(([pattern]) => pattern.test(text))?.[1] ?? '';
      if (end !== '') fragments.push({ text: end, isControl: true });
      if (prefill !== '') fragments.push({ text: prefill, isControl: false });
      return fragments;
    },
  };
}

function parse(source: string): Template | null {
  try {
    return new Template(source);
  } catch {
    // It uses more of the language than the interpreter knows.
    return null;
  }
}

/** What a template does with what it is given, found by trying. */
interface Habits {
  /** Else the system text goes before the first question. */
  readonly takesSystem: boolean;
  /** White space around their words is taken away. */
  readonly trims: ReadonlySet<Role>;
}

function habitsOf(write: (turns: readonly Turn[]) => string): Habits | null {
  const roles = ['user', 'assistant', 'user'] as const;
  for (const takesSystem of [true, false]) {
    const turns = (takesSystem ? (['system', ...roles] as const) : roles).map((role, at) => {
      return { role, content: ` \n${opening}${at}${closing}\n ` };
    });
    try {
      const text = write(turns);
      const isWhole = turns.every((_turn, at) => text.split(`${opening}${at}${closing}`).length === 2);
      if (!isWhole) continue;
      const trims = turns.flatMap(({ role, content }) => (text.includes(content) ? [] : [role]));
      return { takesSystem, trims: new Set(trims) };
    } catch {
      // Some take no system message, and say so by an error.
    }
  }
  return null;
}

/** Templates want question and answer in turn: what follows in the same role is put together. */
function turnsOf(messages: readonly Message[], takesSystem: boolean): readonly Turn[] {
  const turns: { role: Role; content: string }[] = [];
  for (const message of messages) {
    const content = contentOf(message);
    const isFirst = turns.length === 0;
    const role =
      message.role === 'tool' || (message.role === 'system' && !(isFirst && takesSystem)) ? 'user' : message.role;
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else turns.push({ role, content });
  }
  return turns;
}

function piecesOf(text: string, contents: readonly string[]): Fragment[] {
  const fragments: Fragment[] = [];
  for (const [at, piece] of text.split(/[\uE0F0\uE0F1]/u).entries()) {
    const isControl = at % 2 === 0;
    const words = isControl ? piece : (contents[Number(piece)] ?? '');
    if (words !== '') fragments.push({ text: words, isControl });
  }
  return fragments;
}
