import { guardKind, guardText } from '../../safety/guarded-files.ts';
import { guardOf } from './guard-of.ts';
import type { RecordedChange } from './file-changes.ts';
import type { Turn } from '../turn/turn.ts';

/**
 * Restores guarded files that a command changed, since it cannot be known before what a command will change, and tells
 * the model. Null: there were none.
 */
export async function revertGuardedChanges(
  turn: Pick<Turn, 'files' | 'task'>,
  changed: readonly RecordedChange[],
  toolCallId: string,
): Promise<string | null> {
  const guarded = changed.filter(({ path, before }) => guardOf(turn, path, { isNew: before === null }) !== null);
  if (guarded.length === 0) return null;
  const { back, kept } = await turn.files.changes.revert(guarded, toolCallId);
  const lines = [...back.map(putBack), ...kept.map(couldNot)];
  return lines.join('\n');
}

function putBack(path: string): string {
  const kind = guardKind(path);
  return kind === null ? path : guardText(path, kind, 'was put back');
}

function couldNot(path: string): string {
  return `${path} is guarded and was changed by this command; it could not be put back. Put it back yourself.`;
}
