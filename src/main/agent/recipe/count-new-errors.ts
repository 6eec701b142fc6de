import { z } from 'zod';
import { fileText } from '../../lib/files/file-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { EditedFile } from '../../language-servers/new-errors.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';

/** A candidate waits no longer for what a language server says. */
const limitMs = 1_500;

type NewFile = { readonly path: string; readonly text: string };

/**
 * How many errors a language server finds in files with these texts, and not with those they have now. Null: it is not
 * known, because no server is ready or it took too long. The log has the number alone, and a replay takes it from there.
 */
export function countNewErrors(turn: Turn, files: readonly NewFile[]): Promise<number | null> {
  return takeAction<number | null>(
    turn,
    {
      tool: 'new_errors',
      label: `look for new errors in ${files.map(({ path }) => path).join(', ')}`,
      input: { files: files.map(({ path, text }) => ({ path, sha256: sha256Of(text) })) },
      run: () => count(turn, files),
    },
    (data) => z.number().nullable().parse(data),
  );
}

async function count(
  { dependencies: { sandbox, project }, signal }: Turn,
  files: readonly NewFile[],
): Promise<ActionResult<number | null>> {
  const paths = files.map(({ path }) => path);
  const read = await sandbox.files.readMany(paths, {}, signal);
  if (!read.ok) return { status: 'error', output: read.error.message, data: null };
  const edited = files.flatMap(({ path, text }): readonly EditedFile[] => {
    const bytes = read.value.get(path)?.bytes;
    if (bytes === undefined) return [{ path, before: null, after: text }];
    const before = fileText(bytes);
    return before === null ? [] : [{ path, before: before.text, after: text }];
  });
  const found = await project.languageServers(sandbox).newErrors(edited, { limitMs, signal, isTrial: true });
  switch (found.type) {
    case 'none':
      return { status: 'ok', output: 'No language server is asked about them.', data: null };
    case 'late':
      return { status: 'ok', output: 'The language server gave no answer in time.', data: null };
    case 'found':
      return { status: 'ok', output: `${found.errors.length} new errors`, data: found.errors.length };
    default:
      return found satisfies never;
  }
}
