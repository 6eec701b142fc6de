import type { Failure } from '@shared/errors.ts';
import { success } from '@shared/errors.ts';
import { gainsText, guardText } from '../../safety/guarded-files.ts';
import type { NewFile, ToolFiles, ToolResult } from '../../tools/define.ts';
import type { ApprovalSubject } from '../approval/request-approval.ts';
import { askApproval } from '../approval/request-approval.ts';
import type { Sides } from './guard-of.ts';
import { guardOf } from './guard-of.ts';
import type { WriteTarget } from './file-changes.ts';
import type { AskingTurn, Turn } from '../turn/turn.ts';
import { posix, sep } from 'node:path';
import { sha256Of } from '../../lib/sha256.ts';
import { diffHead, diffHunks } from '../../lib/unified-diff.ts';

type WritingTurn = AskingTurn & Pick<Turn, 'task' | 'files'>;

/**
 * How tools write files: the user is asked about guarded files, a file that changed since the model read it is left
 * alone, and everything is recorded.
 */
export function toolFiles(turn: WritingTurn, toolCallId: string): ToolFiles {
  return {
    lastRead: turn.files.reads.lastRead,
    noteRead: turn.files.reads.noteRead,
    restoreHidden: (text, file) => turn.dependencies.fences.hidden.restore(text, file).text,
    change: (files) => changeAll(turn, toolCallId, files),
  };
}

/** Checks every file before the first is written. If a write fails, the files before it are restored. */
async function changeAll(turn: WritingTurn, toolCallId: string, files: readonly NewFile[]): Promise<ToolResult | null> {
  const targets: WriteTarget[] = [];
  for (const file of files) {
    const looked = await look(turn, toolCallId, file);
    if ('status' in looked) return looked;
    targets.push(looked);
  }
  const start = turn.files.changes.recorded().length;
  for (const target of targets) {
    const done = await turn.files.changes.write(target, { by: 'model', toolCallId });
    // An error, because a model that takes this for a change could repeat it endlessly.
    if (done.ok && done.value === 'same' && targets.length === 1) {
      const message = `${target.path} has exactly this content already: nothing would change.`;
      return asResult({ code: 'bad-input', message });
    }
    if (done.ok) continue;
    const { kept } = await turn.files.changes.revert(turn.files.changes.recorded().slice(start), toolCallId);
    const left = kept.map((path) => ` ${path} was written before that and could not be put back.`).join('');
    return asResult({ ...done.error, message: done.error.message + left });
  }
  for (const { path, bytes } of targets) {
    if (bytes === null) turn.files.reads.forget(path);
    else turn.files.reads.noteRead(path, sha256Of(bytes));
  }
  return null;
}

/** The file as it may be written, or the reason why not. */
async function look(turn: WritingTurn, toolCallId: string, file: NewFile): Promise<WriteTarget | ToolResult> {
  const { sandbox, config } = turn.dependencies;
  const { path: rawPath, bytes } = file;
  const named = workspacePath(rawPath, sandbox.workspacePath);
  // Deleting a link deletes the link; writing follows it. A guarded target is guarded under any name.
  const real = bytes === null ? success(named) : await sandbox.files.realPath(named, turn.signal);
  if (!real.ok) return asResult(real.error);
  const path = real.value;
  if (bytes !== null && bytes.length > config.maxWriteBytes) {
    return asResult({ code: 'too-large', message: `${path}: more than ${config.maxWriteBytes} bytes.` });
  }
  const current = await sandbox.files.read(path, {}, turn.signal);
  if (!current.ok && current.error.code !== 'not-found') return asResult(current.error);
  const before = current.ok ? new TextDecoder().decode(current.value.bytes) : null;
  const after = bytes === null ? null : new TextDecoder().decode(bytes);
  const refused = await checkGuard(turn, toolCallId, path, { before, after });
  if (refused !== null) return refused;
  const read =
    turn.files.reads.lastRead(path) ?? turn.files.reads.lastRead(named) ?? turn.files.reads.lastRead(rawPath);
  if (current.ok && read === undefined) {
    return asResult({ code: 'stale-file', message: `${path} exists and you have not read it. Read it first.` });
  }
  return { path, bytes, expect: read ?? null };
}

async function checkGuard(
  turn: AskingTurn & Pick<Turn, 'task' | 'files'>,
  toolCallId: string,
  path: string,
  sides: Sides,
): Promise<ToolResult | null> {
  const kind = guardOf(turn, path, { isNew: sides.before === null, sides });
  if (kind === null) return null;
  const answer = await askApproval(turn, {
    kind: 'guarded-file',
    subject: path,
    reason: guardText(path, kind, 'changes only with your yes'),
    toolCallId,
    shown: shownChange(path, sides),
  });
  if (answer === 'allow') return null;
  const why = answer === 'nobody' ? ' Nobody could be asked.' : '';
  return asResult({
    code: 'refused',
    message: `${guardText(path, kind)}${why}${kind === 'test' ? gainsText(path, turn.task) : ''}`,
  });
}

/** Comparing takes time quadratic in the number of edits. A file that is nearly all different is shown as it would be. */
const mostEdits = 2_000;

/** The change that the user is asked about. */
function shownChange(path: string, { before, after }: Sides): NonNullable<ApprovalSubject['shown']> {
  const hunks = diffHunks(before ?? '', after ?? '', { context: 3, maxEditLength: mostEdits });
  const text = `${diffHead(path, before, after)}${hunks ?? after ?? ''}`;
  return { sha256: sha256Of(JSON.stringify([path, after])), text, diff: null };
}

function asResult(failure: Failure): ToolResult {
  const isRefusal = failure.code === 'refused';
  const output = failure.hint === undefined ? failure.message : `${failure.message} ${failure.hint}`;
  return { status: failure.code === 'cancelled' ? 'cancelled' : isRefusal ? 'refused' : 'error', output, failure };
}

/**
 * A path as the log and the guards know it: relative to the workspace, with `/`, without `./`. A backslash separates
 * names on Windows alone; elsewhere it is a part of one. The sandbox decides whether it leads out.
 */
export function workspacePath(path: string, root: string, separator: string = sep): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const normal = posix.normalize(separator === '\\' ? inside.replaceAll('\\', '/') : inside);
  return normal.startsWith('./') ? normal.slice(2) : normal;
}
