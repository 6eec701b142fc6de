import { z } from 'zod';
import { taskModes } from '@shared/text/task-mode.ts';
import { iconColors, longestProjectName } from './project-keys.ts';

/** An emoji, or a letter on a color. */
const iconSchema = z.strictObject({
  text: z.string().trim().min(1).max(32).refine(isOneSign, 'Use one emoji or one letter.'),
  color: z.enum(iconColors).default('gray'),
});
export type ProjectIcon = z.infer<typeof iconSchema>;

/** The id of a project stands in folders and logs. */
export const projectIdPattern = /^[a-z0-9]{8,32}$/u;

const projectName = z
  .string()
  .transform((name) => name.replaceAll(/\s+/gu, ' ').trim())
  .pipe(z.string().min(1, 'Give the project a name.').max(longestProjectName));

/** What the user says about a project as a whole. What its models and tools are is set by its key, like its limits. */
export const projectRecordSchema = z.strictObject({
  /** Null: it is named as its folder. */
  name: projectName.nullable().default(null),
  icon: iconSchema.nullable().default(null),
  /** The whole path. Null: the project needs no folder. */
  folder: z.string().min(1).max(4096).nullable().default(null),
  /** Where the folder lay before, as long as what is set for it is being moved. */
  movedFrom: z.string().min(1).max(4096).optional(),
  /** The assistant of new talks, by name. Null: none. */
  assistant: z.string().min(1).max(40).nullable().default(null),
  /** How new messages are read. Null: their words decide. */
  mode: z.enum(taskModes).nullable().default(null),
  createdAt: z.number().default(0),
});
export type ProjectRecord = Readonly<z.infer<typeof projectRecordSchema>>;

export const projectChoicesSchema = z.strictObject({
  /** Folders that the user added, with or without a session. */
  added: z.array(z.string()).default([]),
  /** When a folder was removed, in milliseconds since 1970. Earlier sessions in it do not bring it back. */
  removed: z.record(z.string(), z.number()).default({}),
  /** What the user says about single projects, by their ids. */
  records: z.record(z.string().regex(projectIdPattern), projectRecordSchema).default({}),
});
/** The user's changes to the list of projects. */
export type ProjectChoices = z.infer<typeof projectChoicesSchema>;

/** By the id of the project. */
export type ProjectRecords = Readonly<Record<string, ProjectRecord>>;

/** What a new project begins with. */
export const newProjectSchema = z.object({
  name: projectName,
  folder: z.string().min(1).max(4096).optional(),
  icon: iconSchema.nullable().optional(),
  instructions: z.string().max(8_000_000).optional(),
});
export type NewProject = z.infer<typeof newProjectSchema>;

/** One change of a record. Everything else stays. */
export const recordChangeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('name'), name: projectName }),
  z.object({ type: z.literal('icon'), icon: iconSchema.nullable() }),
  /** For a project without one, or whose folder is gone because it lies elsewhere now. */
  z.object({ type: z.literal('folder'), path: z.string().min(1).max(4096) }),
  z.object({ type: z.literal('assistant'), assistant: projectRecordSchema.shape.assistant.unwrap() }),
  z.object({ type: z.literal('mode'), mode: projectRecordSchema.shape.mode.unwrap() }),
  /** Empty: none. */
  z.object({ type: z.literal('instructions'), text: z.string().max(8_000_000) }),
]);
export type RecordChange = z.infer<typeof recordChangeSchema>;

function isOneSign(text: string): boolean {
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.trim())].length === 1;
}
