import { type } from '@orpc/contract';
import { z } from 'zod';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateNamePattern } from '@shared/session/prompt-templates.ts';
import type { Assistant, BrokenAssistant } from '@shared/session/assistants.ts';
import { assistantNamePattern, mostAssistantCharacters } from '@shared/session/assistants.ts';
import { base } from './contract-base.ts';

/** A name with dots, or its parts where one of them has dots itself (a path, the id of a model). */
const key = z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)]);
export type SettingKey = z.infer<typeof key>;

export const settingsContract = {
  get: base.input(z.object({ key: key.optional() })).output(type<unknown>()),
  set: base.input(z.object({ key, value: z.unknown() })).output(type<unknown>()),
  /** The usual value again, or the entry gone. */
  unset: base.input(z.object({ key })).output(type<void>()),
  path: base.output(type<{ path: string }>()),
  /** The names of what was changed, by whomever, for as long as somebody listens; the first says only that it listens. */
  watch: base.output(type<AsyncIterable<{ readonly keys: readonly string[] }>>()),
};

const name = z.string().regex(templateNamePattern, 'Use lower-case letters, digits and "-", with a letter first.');

/** A person's own prompt templates: `prompts/NAME.md` in the home. */
export const templatesContract = {
  /** By name. Files that are none are left out. */
  list: base.output(type<{ readonly folder: string; readonly templates: readonly PromptTemplate[] }>()),
  /** Rejects with `conflict` for the name of a command. */
  save: base.input(z.object({ name, text: z.string().trim().min(1).max(mostTemplateCharacters) })).output(type<void>()),
  /** Of one that is gone already nothing is said. */
  remove: base.input(z.object({ name })).output(type<void>()),
};

const assistantName = z
  .string()
  .regex(assistantNamePattern, 'Use lower-case letters, digits and "-", with a letter first.');

/** A person's own assistants: `assistants/NAME.md` in the home. */
export const assistantsContract = {
  /** By name; `broken`: files that are none, with the reason. */
  list: base.output(
    type<{
      readonly folder: string;
      readonly assistants: readonly Assistant[];
      readonly broken: readonly BrokenAssistant[];
    }>(),
  ),
  /** The file as it is. */
  show: base.input(z.object({ name: assistantName })).output(type<{ readonly text: string }>()),
  /** Checked whole. Rejects with `bad-input`, or with `conflict` where there is one of the name and `replace` is not said. */
  save: base
    .input(
      z.object({
        name: assistantName,
        /** Of the file, its head among it. */
        text: z.string().max(mostAssistantCharacters + 4_000),
        replace: z.boolean().default(false),
      }),
    )
    .output(type<Assistant>()),
  /** Of one that is gone already nothing is said. */
  remove: base.input(z.object({ name: assistantName })).output(type<void>()),
};
