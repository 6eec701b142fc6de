import type { TaskMode } from '@shared/text/task-mode.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { readDefinition, refused } from '@shared/text/front-matter.ts';
import type { Read } from '@shared/text/front-matter.ts';

/** How an agent is to answer, under a name: a Markdown file of the home. It can only ask for less than you allow. */
export interface Assistant {
  readonly name: string;
  /** What it is for, in a sentence for people; no model sees it. */
  readonly about?: string;
  /** Stands in the system text of every call. */
  readonly text: string;
  /** `PROVIDER/MODEL`. Absent, as below: as usual. */
  readonly model?: string;
  readonly mode?: TaskMode;
  /** No tools: it answers at once, and looks at no files. */
  readonly tools?: 'off' | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** The longest answer. */
  readonly maxTokens?: number | undefined;
}

/** A file in the folder that is none, with the reason. */
export interface BrokenAssistant {
  readonly name: string;
  readonly why: string;
}

export const assistantNamePattern = /^[a-z][a-z0-9-]{0,39}$/u;

/** In characters; more would leave a small model no room. */
export const mostAssistantCharacters = 8_000;

/** Of its one sentence. */
export const mostAboutCharacters = 200;

/** The keys of its lines, in the order in which they are written. */
export const assistantKeys = ['about', 'model', 'mode', 'tools', 'temperature', 'top-p', 'max-tokens'] as const;
export type AssistantKey = (typeof assistantKeys)[number];
/** Its lines as they are written; an empty one is not there. */
export type AssistantLines = Readonly<Record<AssistantKey, string>>;

export const modelPattern = /^[\w.-]+\/[\w.:/@+-]{1,200}$/u;

/**
 * Reads a whole file: lines of `key: value` between two lines of `---`, then the text. Whatever is in it that is not
 * known here makes it none: a file that comes from somebody else says nothing that is passed over.
 */
export function parseAssistant(name: string, file: string): Read<Assistant> {
  if (!assistantNamePattern.test(name)) {
    return refused('Its name needs lower-case letters, digits and "-", with a letter first.');
  }
  const read = readDefinition(file, mostAssistantCharacters, readField);
  if (!read.ok) return read;
  const assistant: Assistant = { ...read.value, name };
  if (assistant.tools === 'off' && assistant.mode !== undefined && assistant.mode !== 'ask') {
    return refused(`Without tools it can only answer, so "mode: ${assistant.mode}" does not fit "tools: off".`);
  }
  return { ok: true, value: assistant };
}

/** Null: there is no such key, or it cannot have this value. */
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

/** What a message to it is taken for where nothing else is said; null: its words say it. */
export function modeOfAssistant(assistant: Assistant | null): TaskMode | null {
  return assistant?.tools === 'off' ? 'ask' : (assistant?.mode ?? null);
}

/** What it is besides its text, in a few words each. */
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

/** Whether a line can have this value. */
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

/** The file that says this, as `parseAssistant` reads it. */
export function assistantFile(lines: AssistantLines, text: string): string {
  const head = assistantKeys.flatMap((key) => (lines[key].trim() === '' ? [] : [`${key}: ${lines[key].trim()}`]));
  return head.length === 0 && !text.trim().startsWith('---')
    ? `${text.trim()}\n`
    : ['---', ...head, '---', '', text.trim(), ''].join('\n');
}
