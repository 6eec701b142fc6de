import { join } from 'node:path';
import { toFailure } from '@shared/errors.ts';
import type { SessionsOutcome } from '@shared/contract/sessions-contract.ts';
import { fileNameOf } from '@shared/text/file-name-of.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { access } from '../../lib/files/drive-calls.ts';

/** Writes one file per session into a folder, each with an unused name. `missing`: stored files that are gone. */
export async function exportInto(
  core: Pick<CoreClient, 'sessions'>,
  folder: string,
  sessionIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<SessionsOutcome & { readonly missing: number }> {
  const asked = signal === undefined ? {} : { signal };
  const titles = new Map(
    (await core.sessions.list(undefined, asked)).map(({ sessionId, title }) => [sessionId, title]),
  );
  const done: string[] = [];
  const refused: { sessionId: string; why: string }[] = [];
  let missing = 0;
  for (const sessionId of sessionIds) {
    try {
      signal?.throwIfAborted();
      const path = await freePath(folder, fileNameOf(titles.get(sessionId) ?? ''));
      missing += (await core.sessions.export({ sessionId, path }, asked)).missing;
      done.push(sessionId);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      refused.push({ sessionId, why: toFailure(error).message });
    }
  }
  return { done, refused, missing };
}

async function freePath(folder: string, name: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const path = join(folder, `${name}${count === 1 ? '' : ` (${count})`}.dewpoint`);
    const isTaken = await access(path).then(
      () => true,
      () => false,
    );
    if (!isTaken) return path;
  }
}
