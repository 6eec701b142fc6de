import { fieldOf } from '@shared/unknown-value.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import { fileText } from '../../lib/files/file-text.ts';
import { noteFailure } from '../../lib/log.ts';
import { memo } from '../../lib/memo.ts';
import { newErrorsMark } from '../../safety/taint.ts';
import type { EditedFile, NewErrorsWait } from '../../language-servers/new-errors.ts';
import type { Tool, ToolResult } from '../../tools/define.ts';
import type { FileChanges, RecordedChange } from '../changes/file-changes.ts';
import type { Turn } from '../turn/turn.ts';

/** An edit waits no longer for what a language server says. */
const limitMs = 1_500;
const mostShown = 5;
const mostFiles = 20;

/** How many of a turn's changes a language server has answered for. */
const checkedOf = memo((_changes: FileChanges) => ({ count: 0 }));

/**
 * What a language server finds wrong in the files that were changed since it was last asked, and did not find before.
 * Part of the result of an edit, so a replay takes it from the log. Empty if no server is ready: work goes on.
 */
export async function newErrorNotes(
  turn: Pick<Turn, 'dependencies' | 'files' | 'signal'>,
  edit: { readonly tool: Pick<Tool, 'name'>; readonly input: unknown },
): Promise<readonly string[]> {
  const { dependencies, files, signal } = turn;
  const recorded = files.changes.recorded();
  const checked = checkedOf(files.changes);
  if (signal.aborted || recorded.length <= checked.count) return [];
  try {
    const edited = await editedFiles(turn, recorded.slice(checked.count));
    const servers = dependencies.project.languageServers(dependencies.sandbox);
    const found = await servers.newErrors(edited, { limitMs, signal, renamed: renamedBy(edit) });
    // What was not answered in time is asked again after the next edit, unless it would keep that from an answer, too.
    if (found.type !== 'late' || found.isTooMuch === true) checked.count = recorded.length;
    if (found.type === 'late') return [];
    if (found.type === 'none' || found.errors.length === 0) return [];
    const lines = found.errors.slice(0, mostShown).map(({ path, line, text }) => `${path}:${line}: ${text}`);
    const more = found.errors.length - lines.length;
    const rest = more === 0 ? [] : [`… and ${more} more`];
    return [`${newErrorsMark} ${found.by}:`, ...lines, ...rest, ']'];
  } catch (error) {
    if (!signal.aborted) noteFailure('A language server was not asked after an edit', error);
    return [];
  }
}

function renamedBy({ tool, input }: Parameters<typeof newErrorNotes>[1]): NewErrorsWait['renamed'] {
  const [name, newName] = [fieldOf(input, 'name'), fieldOf(input, 'newName')];
  const isRename = tool.name === 'rename_symbol' && typeof name === 'string' && typeof newName === 'string';
  return isRename ? { name, newName } : undefined;
}

/** Starts the server for a file that the model has read, because an edit of it may follow. */
export function warmServer(
  { dependencies: { project, sandbox }, given }: Pick<Turn, 'dependencies' | 'given'>,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
  { status }: Pick<ToolResult, 'status'>,
): void {
  const path = fieldOf(input, 'path');
  if (tool.name !== 'read_file' || status !== 'ok' || given.isQuestion || typeof path !== 'string') return;
  project.languageServers(sandbox).warm(path);
}

async function editedFiles(
  { dependencies: { journal } }: Pick<Turn, 'dependencies'>,
  changes: readonly RecordedChange[],
): Promise<readonly EditedFile[]> {
  const textOf = async (image: FileImage): Promise<string | null> => {
    const bytes = image?.kept === true ? await journal.getBlob(image.blob) : null;
    return bytes === null ? null : (fileText(bytes)?.text ?? null);
  };
  const edited: EditedFile[] = [];
  for (const path of [...new Set(changes.map((change) => change.path))].slice(-mostFiles)) {
    const ofPath = changes.filter((change) => change.path === path);
    const before = await textOf(ofPath[0]?.before ?? null);
    const after = await textOf(ofPath.at(-1)?.after ?? null);
    if (before !== null || after !== null) edited.push({ path, before, after });
  }
  return edited;
}
