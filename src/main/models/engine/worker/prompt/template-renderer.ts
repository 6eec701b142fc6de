import { Template } from '@huggingface/jinja';
import type { Message } from '@shared/models/model-messages.ts';
import { thinkingSwitchOf } from '../../thinking-switch.ts';
import type { ThinkingSwitch, ThoughtStyle } from '../../thinking-switch.ts';
import type { EngineRequest } from '../worker-protocol.ts';
import { contentOf } from './render-chat.ts';
import type { Fragment } from './render-chat.ts';
import { noteFailure } from '../../../../lib/log.ts';

type Thinking = NonNullable<EngineRequest['thinking']>;

/** Renders conversations with the template in a model's file. */
export interface TemplateRenderer {
  /**
   * The prompt up to where the answer begins, or with `thinking` up to where the thoughts begin. The text of
   * messages is in fragments of its own and never becomes control text.
   */
  render(messages: readonly Message[], prefill: string, thinking?: Thinking): readonly Fragment[];
  /** Null: thinking cannot be switched on for this model. */
  readonly thoughts: Thoughts | null;
}

/** How to end thoughts that a prompt has begun. */
export interface Thoughts {
  readonly closing: string;
  /** The text between the closing mark and the answer. */
  readonly after: string;
  /** The text that closes the thoughts of a model that does not stop. */
  readonly end: string;
  /** They are sent back with the next prompt. */
  readonly isKept: boolean;
}

/** The texts of a template's control tokens. */
export interface TemplateMarks {
  readonly bos: string;
  readonly eos: string;
}

type Role = 'system' | 'user' | 'assistant';

interface Turn {
  readonly role: Role;
  readonly content: string;
  /** Its earlier thoughts. The template decides whether to show them again. */
  readonly reasoning_content?: string;
}

/** From the private use area, which templates and models do not use. */
const [opening, closing] = ['\uE0F0', '\uE0F1'];
/** Marks of thinking that a template opened although thinking was off, and the text that closes it. */
const opened: readonly (readonly [RegExp, string])[] = [
  [/<think>\s*$/u, '\n</think>\n\n'],
  [/<\|START_THINKING\|>\s*$/u, '<|END_THINKING|>'],
  [/\[THINK\]\s*$/u, '[/THINK]'],
];
/** The names of the switches that templates use. */
const withoutThinking = { enable_thinking: false, thinking: false };
const withThinking = { enable_thinking: true, thinking: true, preserve_thinking: true };

/**
 * Null if the template cannot be parsed, or refuses a conversation of system message, question, answer and question.
 * Without `thinking`, the model answers at once if its template can do that.
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

/** The text that closes thoughts that were not requested. */
function endOfThoughts(text: string): string {
  return opened.find(([pattern]) => pattern.test(text))?.[1] ?? '';
}

/** Finds the text after the closing mark. A template that closes empty thoughts when thinking is off shows it. */
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

/** The opening mark, if the template leaves it to the model, as most do. */
function begunThoughts(text: string, { opening: mark }: ThoughtStyle): string {
  return text.trimEnd().endsWith(mark.trim()) ? '' : mark;
}

function parse(source: string): Template | null {
  try {
    return new Template(source);
  } catch (error) {
    // The template uses a feature that the interpreter does not know.
    noteFailure('engine: the template of the model was not understood', error);
    return null;
  }
}

/** How a template treats its input, found by trying. */
interface Habits {
  /** If not, the system text goes before the first question. */
  readonly takesSystem: boolean;
  /** The roles whose text loses white space at its ends. */
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
      // Some templates refuse a system message with an error.
    }
  }
  return null;
}

/** Joins messages of the same role, because templates expect question and answer in turn. */
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
