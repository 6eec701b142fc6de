import type { Assistant, AssistantKey, AssistantLines } from '@shared/session/assistants.ts';
import {
  assistantFile,
  assistantNamePattern,
  isAssistantValue,
  linesOfAssistant,
  mostAboutCharacters,
  mostAssistantCharacters,
  parseAssistant,
} from '@shared/session/assistants.ts';
import { t } from '../../lib/text/translate.ts';
import { jsonIn } from '@shared/text/json-in.ts';

/** An assistant as the form holds it, valid or not. */
export interface AssistantDraft {
  /** The name that it was saved under; null when it is new. */
  readonly saved: string | null;
  readonly name: string;
  readonly text: string;
  readonly lines: AssistantLines;
}

type DraftField = AssistantKey | 'name' | 'text';
/** The problem of each invalid field. */
export type DraftProblems = Partial<Record<DraftField, string>>;

const noLines = linesOfAssistant({ name: '', text: '' });

export const newDraft: AssistantDraft = { saved: null, name: '', text: '', lines: noLines };

export function draftOf(assistant: Assistant): AssistantDraft {
  return { saved: assistant.name, name: assistant.name, text: assistant.text, lines: linesOfAssistant(assistant) };
}

/** A copy under a name that is free. */
export function copyOf(draft: AssistantDraft, names: readonly string[]): AssistantDraft {
  // Leaves room for a number after the name.
  const base = (draft.name === '' ? 'assistant' : draft.name).slice(0, 36);
  let count = 2;
  while (names.includes(`${base}-${count}`)) count += 1;
  return { ...draft, saved: null, name: `${base}-${count}` };
}

export function fileOfDraft({ lines, text }: AssistantDraft): string {
  return assistantFile(lines, text);
}

export function isSameDraft(one: AssistantDraft, other: AssistantDraft): boolean {
  return one.name === other.name && fileOfDraft(one) === fileOfDraft(other);
}

/** A draft from a shared file, to be read before it is saved. A text says why the file is not valid. */
export function draftOfFile(fileName: string, text: string): AssistantDraft | string {
  const name = fileName.replace(/\.(?:md|markdown|txt)$/iu, '').toLowerCase();
  // The user can correct the name in its field. The content is taken unchanged or not at all.
  const read = parseAssistant(assistantNamePattern.test(name) ? name : 'assistant', text);
  return read.ok ? { ...draftOf(read.value), saved: null, name } : read.why;
}

/** `names`: the names of all other assistants. */
export function problemsOf({ name, text, lines }: AssistantDraft, names: readonly string[]): DraftProblems {
  const wrong = (key: AssistantKey, problem: string): DraftProblems => {
    const value = lines[key].trim();
    return value === '' || isAssistantValue(key, value) ? {} : { [key]: problem };
  };
  const size = text.trim().length;
  const sentence = lines.about.trim().length;
  return {
    ...(assistantNamePattern.test(name) ? {} : { name: t('assistants.bad.name') }),
    ...(names.includes(name) ? { name: t('assistants.bad.taken') } : {}),
    ...(size === 0 ? { text: t('assistants.bad.noText') } : {}),
    ...(size > mostAssistantCharacters
      ? { text: t('assistants.bad.text', { count: size, most: mostAssistantCharacters }) }
      : {}),
    ...wrong('about', t('assistants.bad.about', { most: mostAboutCharacters, count: sentence })),
    ...wrong('model', t('assistants.bad.model')),
    ...(lines.tools === 'off' && lines.mode !== '' && lines.mode !== 'ask' ? { mode: t('assistants.bad.mode') } : {}),
    ...wrong('temperature', t('assistants.bad.temperature')),
    ...wrong('top-p', t('assistants.bad.topP')),
    ...wrong('max-tokens', t('assistants.bad.maxTokens')),
  };
}

/** An unsaved draft from an earlier run; null when there is none, or when it has another format. */
export function keptDraft(kept: string | null): AssistantDraft | null {
  const read: unknown = jsonIn(kept ?? 'null');
  const field = (name: string, of: unknown = read): unknown => Reflect.get(Object(of), name);
  const [saved, name, text] = [field('saved'), field('name'), field('text')];
  if (typeof name !== 'string' || typeof text !== 'string') return null;
  const lineOf = (key: AssistantKey): string => {
    const line = field(key, field('lines'));
    return typeof line === 'string' ? line : '';
  };
  const lines: AssistantLines = {
    about: lineOf('about'),
    model: lineOf('model'),
    mode: lineOf('mode'),
    tools: lineOf('tools'),
    temperature: lineOf('temperature'),
    'top-p': lineOf('top-p'),
    'max-tokens': lineOf('max-tokens'),
  };
  return { saved: typeof saved === 'string' ? saved : null, name, text, lines };
}
