import { Template } from '@huggingface/jinja';
import type { Message } from '@shared/models/model-messages.ts';
import { thinkingSwitchOf } from '../../thinking-switch.ts';
import type { ThinkingSwitch, ThoughtStyle } from '../../thinking-switch.ts';
import type { EngineRequest } from '../worker-protocol.ts';
import { contentOf } from './render-chat.ts';
import type { Fragment } from './render-chat.ts';

type Thinking = NonNullable<EngineRequest['thinking']>;

/** Renders conversations by the template that came with a model's file. */
export interface TemplateRenderer {
  /**
   * The prompt up to where the answer goes on; with `thinking`, up to where the thoughts go on. Words of a message are
   * fragments of their own, never control text.
   */
  render(messages: readonly Message[], prefill: string, thinking?: Thinking): readonly Fragment[];
  /** Null: its model cannot be told to think. */
  readonly thoughts: Thoughts | null;
}

/** How thoughts end that a prompt has begun. */
export interface Thoughts {
  readonly closing: string;
  /** What stands between the closing mark and the answer. */
  readonly after: string;
  /** What closes them for a model that goes on and on. */
  readonly end: string;
  /** They are given back with the next prompt. */
  readonly isKept: boolean;
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
  /** What it thought before; whether that is shown again is the template's to say. */
  readonly reasoning_content?: string;
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
const withThinking = { enable_thinking: true, thinking: true, preserve_thinking: true };

/**
 * Null where the template cannot be read here, or refuses a conversation of a system message, a question, an answer and a
 * question. Without `thinking` the model answers at once where its template knows a way.
 */
export function createTemplateRenderer(source: string, marks: TemplateMarks): TemplateRenderer | null {
  const parsed = parse(source);
  if (parsed === null) return null;
  const write = (turns: readonly Turn[], thinking?: Thinking): string =>
    parsed.render({
      messages: turns.map((turn) => ({ ...turn })),
      add_generation_prompt: true,
      bos_token: marks.bos,
      eos_token: marks.eos,
      ...(thinking === undefined ? withoutThinking : { ...withThinking, reasoning_effort: thinking.effort }),
    });
  const habits = habitsOf(write);
  if (habits === null) return null;
  const found = thinkingSwitchOf(source);
  const style = found?.style ?? null;
  return {
    thoughts: found === null ? null : thoughtsOf(found, write),
    render(messages, prefill, thinking) {
      const turns = turnsOf(messages, habits.takesSystem);
      const contents = turns.map(({ role, content }) => (habits.trims.has(role) ? content.trim() : content));
      const thought = turns.map(({ reasoning_content: text = '' }) => text.trim());
      const text = write(
        turns.map(({ role }, at) => ({
          role,
          content: `${opening}${at}${closing}`,
          ...(thought[at] === '' ? {} : { reasoning_content: `${opening}${turns.length + at}${closing}` }),
        })),
        thinking,
      );
      const fragments = piecesOf(text, [...contents, ...thought]);
      const end = thinking === undefined || style === null ? endOfThoughts(text) : begunThoughts(text, style);
      if (end !== '') fragments.push({ text: end, isControl: true });
      if (prefill !== '') fragments.push({ text: prefill, isControl: false });
      return fragments;
    },
  };
}

/** What closes thoughts that nobody asked for. */
function endOfThoughts(text: string): string {
  return opened.find(([pattern]) => pattern.test(text))?.[1] ?? '';
}

/** A template that closes thoughts at once where nobody asked for any shows what stands behind them. */
function thoughtsOf(
  { style, keeps }: ThinkingSwitch,
  write: (turns: readonly Turn[], thinking?: Thinking) => string,
): Thoughts {
  const { closing } = style;
  const asked: readonly Turn[] = [{ role: 'user', content: '?' }];
  const [without, withThem] = [write(asked), write(asked, { effort: 'low', mostTokens: 1 })];
  const behind = without.slice(without.lastIndexOf(closing) + closing.length);
  const after = without.includes(closing) && behind.trim() === '' ? behind : style.after;
  const isOneLine = withThem.endsWith(style.opening.trim());
  return { closing, after, isKept: keeps, end: `${isOneLine ? '' : '\n'}${closing}${after}` };
}

/** Most templates leave it to the model to open its thoughts. */
function begunThoughts(text: string, { opening: mark }: ThoughtStyle): string {
  return text.trimEnd().endsWith(mark.trim()) ? '' : mark;
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
  const turns: { role: Role; content: string; reasoning_content?: string }[] = [];
  for (const message of messages) {
    const content = contentOf(message);
    const thought = message.parts.flatMap((part) => (part.type === 'reasoning' ? part.text : [])).join('\n');
    const isFirst = turns.length === 0;
    const role =
      message.role === 'tool' || (message.role === 'system' && !(isFirst && takesSystem)) ? 'user' : message.role;
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else turns.push({ role, content, ...(thought === '' ? {} : { reasoning_content: thought }) });
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
