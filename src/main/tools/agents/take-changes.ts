import type { FileImage } from '@shared/events/tool-events.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { NewFile, ToolContext, ToolResult } from '../define.ts';
import { errorResult, okResult } from '../values/tool-results.ts';
import type { ChildAgents, ChildChange } from './child-agents.ts';

interface Taken {
  readonly files: NewFile[];
  /** Files that already have the same bytes here. */
  readonly same: string[];
  readonly conflicts: string[];
}

/**
 * Copies an agent's changes into the files of its parent. A file is copied only if it still has the bytes that the
 * agent started from. Any other file is reported as a conflict and left alone. The guards and approvals of every write
 * apply.
 */
export async function takeChanges(
  agents: ChildAgents,
  { agent, paths }: { readonly agent: string; readonly paths?: readonly string[] | undefined },
  context: ToolContext,
): Promise<ToolResult> {
  const all = await agents.changes(agent);
  const wanted = paths === undefined ? all : all.filter(({ path }) => paths.includes(path));
  const unknown = (paths ?? []).filter((path) => all.every((change) => change.path !== path));
  if (unknown.length > 0) return errorResult(`${agent} did not change, or you have taken: ${unknown.join(', ')}.`);
  if (wanted.length === 0) return errorResult(`${agent} has no changes that are left to take.`);
  const taken: Taken = { files: [], same: [], conflicts: [] };
  for (const change of wanted) await sort(agents, change, { context, taken });
  const refused = taken.files.length === 0 ? null : await context.files.change(taken.files);
  if (refused !== null) return refused;
  const done = [...taken.files.map(({ path }) => path), ...taken.same];
  if (done.length > 0) await agents.taken(agent, done);
  const lines = [
    ...(taken.files.length === 0 ? [] : [`Taken: ${taken.files.map(({ path }) => path).join(', ')}.`]),
    ...(taken.same.length === 0 ? [] : [`The same here already: ${taken.same.join(', ')}.`]),
    ...taken.conflicts.map((conflict) => `Conflict, left as it is: ${conflict}`),
    ...(taken.conflicts.length === 0
      ? []
      : ['Compare with agent_manage inspect, and edit the file yourself, or ask the user.']),
  ];
  // Nothing was copied, so the model must not go on as if it had been.
  if (taken.files.length === 0 && taken.conflicts.length > 0) return errorResult(lines.join('\n'));
  return okResult(lines.join('\n'), { taken: done, conflicts: taken.conflicts.length });
}

async function sort(
  agents: ChildAgents,
  { path, before, after }: ChildChange,
  { context, taken }: { readonly context: ToolContext; readonly taken: Taken },
): Promise<void> {
  const here = await hashHere(path, context);
  const why = conflictOf(here, { before, after });
  if (why === 'same') return void taken.same.push(path);
  if (why !== null) return void taken.conflicts.push(`${path} ${why}`);
  const bytes = await agents.bytes(after);
  if (after !== null && bytes === null) return void taken.conflicts.push(`${path}: what the agent wrote was not kept.`);
  // The bytes were compared, so the model knows this version as well as if it had read it.
  if (here !== undefined && here !== null) context.files.noteRead(path, here);
  taken.files.push({ path, bytes });
}

/** Null: the file can be copied. `here`: the hash of the file, null if there is none, undefined if it is unreadable. */
function conflictOf(
  here: string | null | undefined,
  { before, after }: Pick<ChildChange, 'before' | 'after'>,
): string | null {
  if (here === undefined) return 'cannot be read here.';
  if (here === hashOf(after)) return 'same';
  const began = hashOf(before);
  if (began === undefined) return 'was too large to keep, so nobody can compare it.';
  return here === began ? null : 'is different here from what the agent began with.';
}

async function hashHere(path: string, { sandbox, signal }: ToolContext): Promise<string | null | undefined> {
  const read = await sandbox.files.read(path, {}, signal);
  if (read.ok) return sha256Of(read.value.bytes);
  return read.error.code === 'not-found' ? null : undefined;
}

/** Null: no file. Undefined: the bytes were not kept. */
function hashOf(image: FileImage): string | null | undefined {
  if (image === null) return null;
  return image.kept ? image.blob.sha256 : undefined;
}
