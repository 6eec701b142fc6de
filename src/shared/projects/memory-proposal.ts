import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import type { MemoryLine } from './memory-line.ts';
import { longestMemoryLine } from './memory-line.ts';

/** When models may propose a line. `auto`: where the user or the project has one already. */
export const memoryProposalModes = ['auto', 'on', 'off'] as const;
export type MemoryProposalMode = (typeof memoryProposalModes)[number];

/** What a model proposes to note. */
export interface ProposedLine {
  readonly text: string;
  readonly of: MemoryLine['of'];
  /** The text is the command that runs the project's tests. */
  readonly isTestCommand: boolean;
}

/** Where a line goes that the user wants to keep. `settings`: it becomes the project's test command. */
export type MemoryPlace = MemoryLine['of'] | 'settings';

/** Required, so no answer says yes without it. No tool server has a field of this name by chance. */
export const proposedLineField = 'dewpoint-memory-line';
const placeField = 'dewpoint-memory-place';

const asksToKeep =
  /^\W*(?:(?:please|so|and|also|bitte)[\s,]+)?(?:remember|keep in mind|don't forget|note (?:that|for later)|from now on|in (?:the )?future,|always|never|call me|my name is|i (?:always|never|usually|prefer|work|live)|merk dir|denk daran|ab jetzt|ich (?:heiße|bevorzuge|arbeite|wohne)|souviens-toi|retiens|désormais|je préfère|recuerda|de ahora en adelante|prefiero)(?![\p{L}])|^(?:记住|记得|以后|我叫|我喜欢)/iu;

/** Whether a sentence of a message says something for later: a wish that lasts, or who the person is. */
export function saysToKeep(text: string): boolean {
  const sentences = text.slice(0, 4_000).split(/(?<=[.!?。？！])\s+|\n+/u);
  return sentences.some((sentence) => !/[?？]\s*$/u.test(sentence) && asksToKeep.test(sentence.trimStart()));
}

const onlyAsksToKeep =
  /^\s*(?:(?:please|bitte)[\s,]+)?(?:remember|keep in mind|don't forget|note for later|merk dir|denk daran|souviens-toi|retiens|recuerda)(?:,? (?:that|dass|que)\s|\s*:\s*|\s(?=(?:my|i|we|our)\s))/iu;

/** The line that a message asks to keep, if it asks for nothing else. Null: it says more, or a question. */
export function lineToKeep(text: string): string | null {
  const message = text.trim();
  if (message.length > longestMemoryLine || /[\n?？]/u.test(message)) return null;
  const line = message.replace(onlyAsksToKeep, '').trim();
  if (line === message || line === '' || /[.!]\s/u.test(line)) return null;
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)}`;
}

/** The form in which the user edits the line and says where it goes. Without a project it is for all of them. */
export function proposalForm({ text, of, isTestCommand }: ProposedLine, hasProject = true): ServerForm {
  const common = { description: '', isRequired: true } as const;
  const settings = { value: 'settings', title: "The project's settings, as its test command" };
  const choices = [
    ...(isTestCommand && hasProject ? [settings] : []),
    ...(hasProject ? [{ value: 'project', title: 'This project' }] : []),
    { value: 'you', title: 'Every project' },
  ];
  const ofProject = isTestCommand ? 'settings' : of;
  const preset = hasProject ? ofProject : 'you';
  return [
    {
      ...common,
      name: proposedLineField,
      title: 'Line',
      type: 'text',
      format: null,
      least: 1,
      most: longestMemoryLine,
      preset: text,
    },
    { ...common, name: placeField, title: 'For', type: 'one-of', choices, preset },
  ];
}

/** What the user said yes to. Null: the values hold no line. */
export function keptProposal(values: FormValues): { readonly text: string; readonly place: MemoryPlace } | null {
  const { [proposedLineField]: line, [placeField]: place } = values;
  const text = typeof line === 'string' ? onOneLine(line) : '';
  const isKnown = place === 'you' || place === 'project' || place === 'settings';
  return text === '' || !isKnown ? null : { text, place };
}

/** A line of the memory is one line of its file. */
export function onOneLine(words: string): string {
  return words.replaceAll(/\s/gu, ' ').trim();
}
