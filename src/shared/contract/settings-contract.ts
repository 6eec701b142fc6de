import { type } from '@orpc/contract';
import { z } from 'zod';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateNamePattern } from '@shared/session/prompt-templates.ts';
import type { Assistant, BrokenAssistant } from '@shared/session/assistants.ts';
import { assistantNamePattern, mostAssistantCharacters } from '@shared/session/assistants.ts';
import { isSkillName, mostSkillCharacters } from '@shared/skills/skill-file.ts';
import type { SkillReport } from '@shared/skills/skill-report.ts';
import type { ForgetReport, MemoryLine } from '@shared/projects/memory-line.ts';
import { longestMemoryLine } from '@shared/projects/memory-line.ts';
import { base } from './contract-base.ts';

/** A setting's name with dots, or its parts if one of them contains a dot (a path, the id of a model). */
const key = z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)]);
export type SettingKey = z.infer<typeof key>;

export const settingsContract = {
  get: base.input(z.object({ key: key.optional() })).output(type<unknown>()),
  set: base.input(z.object({ key, value: z.unknown() })).output(type<unknown>()),
  /** Restores the default value, or removes the entry. */
  unset: base.input(z.object({ key })).output(type<void>()),
  path: base.output(type<{ path: string }>()),
  /**
   * The names of settings that anybody changes, while the caller listens, and `knowledge`, `memory` or `skills` for what
   * projects have beside them. The first push only says that the watch has begun.
   */
  watch: base.output(type<AsyncIterable<{ readonly keys: readonly string[] }>>()),
};

const name = z.string().regex(templateNamePattern, 'Use lower-case letters, digits and "-", with a letter first.');

/** The key of a project. Null: those for everywhere. */
const templatePlace = z.string().max(4096).nullable();

/**
 * The texts to send with `/NAME`: the user's own prompt templates (in the home, `projects/ID/prompts/NAME.md` for one
 * project, then `prompts/NAME.md`), then skills, then approved prompt files of a project.
 */
export const templatesContract = {
  /**
   * The user's own, sorted by name, then the others. Files that are no templates are left out. `projectFolder`: where
   * those of the project lie; null: nothing was said about it yet.
   */
  list: base.input(z.object({ projectPath: templatePlace }).optional()).output(
    type<{
      readonly folder: string;
      readonly projectFolder: string | null;
      readonly templates: readonly PromptTemplate[];
    }>(),
  ),
  /**
   * `before`: the name and the place that it had; absent: it is new. Rejects the name of a command, and one that another
   * has there, with `conflict`.
   */
  save: base
    .input(
      z.object({
        name,
        text: z.string().trim().min(1).max(mostTemplateCharacters),
        projectPath: templatePlace.optional(),
        before: z.object({ name, projectPath: templatePlace }).optional(),
      }),
    )
    .output(type<void>()),
  /** Does nothing if it is already gone. */
  remove: base.input(z.object({ name, projectPath: templatePlace.optional() })).output(type<void>()),
};

const assistantName = z
  .string()
  .regex(assistantNamePattern, 'Use lower-case letters, digits and "-", with a letter first.');

/** The user's own assistants: `assistants/NAME.md` in the home. */
export const assistantsContract = {
  /** Sorted by name. `broken` lists files that are no valid assistants, with the reason. */
  list: base.output(
    type<{
      readonly folder: string;
      readonly assistants: readonly Assistant[];
      readonly broken: readonly BrokenAssistant[];
    }>(),
  ),
  /** The text of the file, unchanged. */
  show: base.input(z.object({ name: assistantName })).output(type<{ readonly text: string }>()),
  /**
   * Checks the full file. Rejects with `bad-input`, or with `conflict` if the name is taken and `replace` is not set.
   */
  save: base
    .input(
      z.object({
        name: assistantName,
        /** The whole file, including its header. */
        text: z.string().max(mostAssistantCharacters + 4_000),
        replace: z.boolean().default(false),
      }),
    )
    .output(type<Assistant>()),
  /** Does nothing if it is already gone. */
  remove: base.input(z.object({ name: assistantName })).output(type<void>()),
};

const skillName = z.string().refine(isSkillName, 'Use lower-case letters and digits, with single "-" between.');
const skillProject = z.string().min(1).max(4096).nullable();

/** Skills of the person's home and of a project: folders with a `SKILL.md`. */
export const skillsContract = {
  /** All that were found, also those that cannot be used. */
  list: base.input(z.object({ projectPath: skillProject })).output(
    type<{
      /** Where the person's own skills lie. */
      readonly folder: string;
      readonly skills: readonly SkillReport[];
    }>(),
  ),
  /** Its text: for a project's skill all that is approved, else its `SKILL.md`. `diff`: what changed since. */
  show: base
    .input(z.object({ projectPath: skillProject, name: skillName }))
    .output(type<{ readonly skill: SkillReport; readonly text: string; readonly diff: string | null }>()),
  /** Switches it on. Approves exactly these bytes of a project's skill; `conflict` when they have changed since. */
  enable: base
    .input(
      z.object({ projectPath: skillProject, name: skillName, sha256: z.string().length(64).nullable().default(null) }),
    )
    .output(type<SkillReport>()),
  /** Switches it off, everywhere. */
  disable: base.input(z.object({ projectPath: skillProject, name: skillName })).output(type<SkillReport>()),
  /** Copies a folder with a `SKILL.md` into the home, after a check. `conflict` if it exists and `replace` is not set. */
  add: base
    .input(z.object({ path: z.string().min(1).max(4096), replace: z.boolean().default(false) }))
    .output(type<{ readonly skill: SkillReport; readonly isReplaced: boolean }>()),
  /** Removes a copy that `add` made. `refused` for any other skill. */
  remove: base.input(z.object({ name: skillName })).output(type<void>()),
  /** Writes `skills/NAME/SKILL.md` of the home, after a check. `conflict` if it exists and `replace` is not set. */
  save: base
    .input(
      z.object({
        name: skillName,
        text: z
          .string()
          .min(1)
          .max(mostSkillCharacters * 2),
        replace: z.boolean().default(false),
      }),
    )
    .output(type<SkillReport>()),
};

/** The lines of the user and of a project, and the files that hold them. */
export interface Memory {
  readonly files: { readonly you: string; readonly project: string | null };
  readonly lines: readonly MemoryLine[];
  /** Only of `forget`, where it looked into the logs. */
  readonly forgotten?: ForgetReport;
}

/** What the user wants agents to know in later tasks: Markdown files in `memory/` of the home. */
export const memoryContract = {
  list: base.input(z.object({ projectPath: skillProject })).output(type<Memory>()),
  /** `you`: for every project. */
  add: base
    .input(
      z.object({
        projectPath: skillProject,
        text: z
          .string()
          .trim()
          .min(1)
          .max(longestMemoryLine)
          .regex(/^[^\r\n]*$/u, 'One line only.'),
        of: z.enum(['you', 'project']),
      }),
    )
    .output(type<Memory>()),
  /**
   * Removes the line from every file that holds it, and takes its words out of all logs. `onlyHere`: leaves the logs.
   * `not-found` if no file holds it, and no earlier call has begun to forget it.
   */
  forget: base
    .input(z.object({ projectPath: skillProject, id: z.string().min(1).max(64), onlyHere: z.boolean().optional() }))
    .output(type<Memory>()),
};
