import { type } from '@orpc/contract';
import { z } from 'zod';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateNamePattern } from '@shared/session/prompt-templates.ts';
import { base } from './contract-base.ts';

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
