import type { FileImage } from '@shared/events/tool-events.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { fileText } from '../../lib/files/file-text.ts';
import { gainsText, guardKind, guardText } from '../../safety/guarded-files.ts';
import type { ToolResult } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';
import type { RecordedChange } from './file-changes.ts';
import { guardOf, type Sides } from './guard-of.ts';

/** What of a command's changes was put back, with what the model reads about it and about what could not be. */
export interface PutBack {
  readonly paths: readonly string[];
  readonly text: string;
}

/**
 * Restores guarded files that a command changed, since it cannot be known before what a command will change, and tells
 * the model. `mayGain`: a test file may gain tests as by an edit. Null: there were none.
 */
export async function revertGuardedChanges(
  turn: Pick<Turn, 'files' | 'task' | 'dependencies'>,
  changed: readonly RecordedChange[],
  { toolCallId, mayGain = false }: { readonly toolCallId: string; readonly mayGain?: boolean },
): Promise<PutBack | null> {
  const guarded: RecordedChange[] = [];
  for (const change of changed) {
    const sides = mayGain ? await sidesOf(turn, change) : null;
    if (guardOf(turn, change.path, { isNew: change.before === null, sides }) !== null) guarded.push(change);
  }
  if (guarded.length === 0) return null;
  const { back, kept } = await turn.files.changes.revert(guarded, toolCallId);
  const lines = [...back.map((path) => putBack(path, turn.task)), ...kept.map(couldNot)];
  return { paths: back, text: lines.join('\n') };
}

/** The result of a command with what was put back, so that what leans on it is not run. */
export function withPutBack(result: ToolResult, putBack: PutBack | null): ToolResult {
  if (putBack === null) return result;
  const output = `${result.output}\n${putBack.text}`;
  if (putBack.paths.length === 0) return { ...result, output };
  return { ...result, output, data: { ...(isRecord(result.data) ? result.data : {}), putBack: putBack.paths } };
}

/** Whether the result of a call says that a change of it was put back. */
export const wasPutBack = (data: unknown): boolean => isRecord(data) && Array.isArray(data['putBack']);

/** Null: a part is not known, or the mode changed, which adds no test. */
async function sidesOf(
  { dependencies: { journal } }: Pick<Turn, 'dependencies'>,
  { before, after }: RecordedChange,
): Promise<Sides | null> {
  if (before?.kept !== true || after?.kept !== true || before.mode !== after.mode) return null;
  const textOf = async ({ blob }: Extract<FileImage, { kept: true }>): Promise<string | null> => {
    const bytes = await journal.getBlob(blob);
    return bytes === null ? null : (fileText(bytes)?.text ?? null);
  };
  return { before: await textOf(before), after: await textOf(after) };
}

function putBack(path: string, task: string): string {
  const kind = guardKind(path);
  if (kind === null) return path;
  const said = guardText(path, kind, 'was put back');
  if (kind === 'dewpoint') return said;
  return `${said} If the task needs the change, make it with an edit tool, which asks the user.${kind === 'test' ? gainsText(path, task) : ''}`;
}

function couldNot(path: string): string {
  return `${path} is guarded and was changed by this command; it could not be put back. Put it back yourself.`;
}
