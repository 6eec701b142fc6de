import { z } from 'zod';
import { waySchema } from '@shared/comparisons/way.ts';
import { workKinds, type WorkKind } from '@shared/routing/work-kinds.ts';
import { isQuestion, makesNew } from '@shared/text/task-kind.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';

/** An assistant is chosen in the conversation, and who plans in the settings. */
const kindWaySchema = waySchema.omit({ assistant: true, plan: true });
export type KindWay = z.infer<typeof kindWaySchema>;
const waysSchema = z.partialRecord(z.enum(workKinds), kindWaySchema);
export type KindWays = z.infer<typeof waysSchema>;

/** The ways that a person chose for kinds of tasks: in single projects, by folder, and in all of them. */
export const chosenWaysSchema = z.strictObject({
  everywhere: waysSchema.default({}),
  projects: z.record(z.string(), waysSchema).default({}),
});
export type ChosenWays = z.infer<typeof chosenWaysSchema>;

const fixes =
  /\b(?:fix|repair|debug|correct|solve|broken|bugs?|wrong|crash(?:es|ed)?|fails?|failed|failing|red tests?)\b/iu;

/** What kind of task a message is, by its words. The same words are always the same kind. */
export function kindOfWork(text: string, mode: TaskMode | undefined): WorkKind {
  if (mode === 'ask' || (mode === undefined && isQuestion(text))) return 'answer';
  if (makesNew(text)) return 'make';
  return fixes.test(text) ? 'fix' : 'edit';
}

/**
 * The way for a kind of task. What is said of a project goes before what is said of all, and what is said of a kind
 * before what is said of all kinds: kind in the project, the project's own models, kind everywhere. Null: none applies.
 */
export function wayForKind(
  { everywhere, projects }: ChosenWays,
  {
    kind,
    projectPath,
    hasOwnModels,
  }: { readonly kind: WorkKind; readonly projectPath: string | null; readonly hasOwnModels: boolean },
): KindWay | null {
  const own = projectPath !== null && Object.hasOwn(projects, projectPath) ? projects[projectPath]?.[kind] : undefined;
  return own ?? (hasOwnModels ? null : (everywhere[kind] ?? null));
}
