import type { Failure } from '@shared/errors.ts';
import { guardKind, guardText, isTaskAbout, mayBeAdded } from '../policy/guard.ts';
import type { ToolContext, ToolResult } from '../tools/define.ts';
import { askApproval } from './ask-approval.ts';
import { sha256Of } from './file-baseline.ts';
import type { Turn } from './turn.ts';
import { workspacePath } from './workspace-path.ts';

/** How a tool writes: guarded files are asked about, a file that is not what the model read is left alone, all is recorded. */
export function toolWrites(turn: Turn, toolCallId: string): Pick<ToolContext, 'writeFile' | 'deleteFile'> {
  return {
    writeFile: (path, bytes) => change(turn, toolCallId, path, bytes),
    deleteFile: (path) => change(turn, toolCallId, path, null),
  };
}

async function change(
  turn: Turn,
  toolCallId: string,
  rawPath: string,
  bytes: Uint8Array | null,
): Promise<ToolResult | null> {
  const { sandbox, config } = turn.services;
  const path = workspacePath(rawPath, sandbox.workspacePath);
  if (bytes !== null && bytes.length > config.maxWriteBytes) {
    return asResult({ code: 'too-large', message: `${path}: more than ${config.maxWriteBytes} bytes.` });
  }
  const current = await sandbox.readFile(path, {}, turn.signal);
  if (!current.ok && current.error.code !== 'not-found') return asResult(current.error);
  const refused = await checkGuard(turn, toolCallId, path, current.ok);
  if (refused !== null) return refused;
  const read = turn.reads.lastRead(path) ?? turn.reads.lastRead(rawPath);
  if (current.ok && read === undefined) {
    return asResult({ code: 'stale-file', message: `${path} exists and you have not read it. Read it first.` });
  }
  const done = await turn.changes.write({ path, bytes, expect: read ?? null }, { by: 'model', toolCallId });
  if (!done.ok) return asResult(done.error);
  if (bytes === null) turn.reads.forget(path);
  else turn.reads.noteRead(path, sha256Of(bytes));
  return null;
}

async function checkGuard(turn: Turn, toolCallId: string, path: string, exists: boolean): Promise<ToolResult | null> {
  const kind = guardKind(path);
  if (kind === null || isTaskAbout(turn.task, kind, path) || (!exists && mayBeAdded(path))) return null;
  const reason = guardText(path, kind);
  const answer = await askApproval(turn, { kind: 'guarded-file', subject: path, reason, toolCallId });
  return answer === 'allow' ? null : asResult({ code: 'refused', message: reason });
}

function asResult(failure: Failure): ToolResult {
  const isRefusal = failure.code === 'refused' || failure.code === 'stale-file';
  const output = failure.hint === undefined ? failure.message : `${failure.message} ${failure.hint}`;
  return { status: failure.code === 'cancelled' ? 'cancelled' : isRefusal ? 'refused' : 'error', output, failure };
}
