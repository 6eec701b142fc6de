import type { TaskMode } from '@shared/text/task-mode.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { readDefinition, refusal } from '@shared/text/front-matter.ts';
import type { ReadOutcome } from '@shared/text/front-matter.ts';

/** A named way to answer: a Markdown file in the home. It can only narrow what the user allows. */
export interface Assistant {
  readonly name: string;
  /** What it is for, in one sentence for people. No model sees it. */
  readonly about?: string;
  /** Goes into the system text of every call. */
  readonly text: string;
  /** `PROVIDER/MODEL`. For this field and those below, absent means the usual value. */
  readonly model?: string;
  readonly mode?: TaskMode;
  /** `off`: it answers at once, without tools or files. */
  readonly tools?: 'off' | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** The longest answer in tokens. */
  readonly maxTokens?: number | undefined;
}

/** A file in the folder that is no valid assistant, with the reason. */
export interface BrokenAssistant {
  readonly name: string;
  readonly why: string;
}

export const assistantNamePattern = /^[a-z][a-z0-9-]{0,39}$/u;

/** In characters. A longer text would leave no room in a small model. */
export const mostAssistantCharacters = 8_000;

/** The longest `about` sentence, in characters. */
export const mostAboutCharacters = 200;

/** The keys of its header, in the order in which they are written. */
export const assistantKeys = ['about', 'model', 'mode', 'tools', 'temperature', 'top-p', 'max-tokens'] as const;
export type AssistantKey = (typeof assistantKeys)[number];
/** The header's values as text. Empty: the line is left out. */
export type AssistantLines = Readonly<Record<AssistantKey, string>>;

export const modelPattern = /^[\w.-]+\/[\w.:/@+-]{1,200}$/u;

/**
 * Parses a whole file: `key: value` lines between two lines of `---`, then the text. Fails on anything unknown, because
 * a file from somebody else must not hold anything that is silently ignored.
 */
export function parseAssistant(name: string, file: string): ReadOutcome<Assistant> {
  if (!assistantNamePattern.test(name)) {
    return refusal('Its name needs lower-case letters, digits and "-", with a letter first.');
  }
  const read = readDefinition(file, mostAssistantCharacters, readField);
  if (!read.ok) return read;
  const assistant: Assistant = { ...read.value, name };
  if (assistant.tools === 'off' && assistant.mode !== undefined && assistant.mode !== 'ask') {
    return refusal(`Without tools it can only answer, so "mode: ${assistant.mode}" does not fit "tools: off".`);
  }
  return { ok: true, value: assistant };
}

/** Null for an unknown key or a value that the key does not allow. */
function readField(key: string, value: string): Partial<Assistant> | null {
  switch (key) {
    case 'about':
      return value !== '' && value.length <= mostAboutCharacters ? { about: value } : null;
    case 'model':
      return modelPattern.test(value) ? { model: value } : null;
    case 'mode': {
      const mode = taskModes.find((one) => one === value);
      return mode === undefined ? null : { mode };
    }
    case 'tools':
      return value === 'off' ? { tools: value } : value === 'on' ? {} : null;
    case 'temperature':
      return within(value, 0, 2, (temperature) => ({ temperature }));
    case 'top-p':
      return within(value, 0, 1, (topP) => ({ topP }));
    case 'max-tokens':
      return /^\d+$/u.test(value) ? within(value, 16, 1_000_000, (maxTokens) => ({ maxTokens })) : null;
    default:
      return null;
  }
}

function within(
  text: string,
  least: number,
  most: number,
  field: (value: number) => Partial<Assistant>,
): Partial<Assistant> | null {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) && value >= least && value <= most ? field(value) : null;
}

/** The mode for messages to this assistant when nothing else sets one. Null: the message's own words decide. */
export function modeOfAssistant(assistant: Assistant | null): TaskMode | null {
  return assistant?.tools === 'off' ? 'ask' : (assistant?.mode ?? null);
}

/** Its settings besides the text, a few words each. */
export function assistantFacts({ model, mode, tools, temperature, topP, maxTokens }: Assistant): readonly string[] {
  return [
    ...(model === undefined ? [] : [model]),
    ...(mode === undefined ? [] : [mode]),
    ...(tools === undefined ? [] : ['no tools']),
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(topP === undefined ? [] : [`top-p ${topP}`]),
    ...(maxTokens === undefined ? [] : [`at most ${maxTokens} tokens`]),
  ];
}

/** Whether a key allows this value. */
export function isAssistantValue(key: AssistantKey, value: string): boolean {
  return !/[\r\n]/u.test(value) && readField(key, value) !== null;
}

export function linesOfAssistant(assistant: Assistant): AssistantLines {
  const { about, model, mode, tools, temperature, topP, maxTokens } = assistant;
  const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));
  return {
    about: about ?? '',
    model: model ?? '',
    mode: mode ?? '',
    tools: tools ?? '',
    temperature: numberText(temperature),
    'top-p': numberText(topP),
    'max-tokens': numberText(maxTokens),
  };
}

/** Writes the file that `parseAssistant` reads back. */
export function assistantFile(lines: AssistantLines, text: string): string {
  const head = assistantKeys.flatMap((key) => (lines[key].trim() === '' ? [] : [`${key}: ${lines[key].trim()}`]));
  return head.length === 0 && !text.trim().startsWith('---')
    ? `${text.trim()}\n`
    : ['---', ...head, '---', '', text.trim(), ''].join('\n');
}
