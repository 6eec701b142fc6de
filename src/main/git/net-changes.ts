import { isSameImage } from '@shared/session/file-change-state.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { Journal } from '../sessions/journal/journal.ts';

/** What a session made of one file, from before its first change to after its last one. */
export interface NetChange {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
}

/** From the log alone, whatever was taken, undone or changed in the folder since. */
export async function netChanges(journal: Pick<Journal, 'read'>): Promise<readonly NetChange[]> {
  const changes = new Map<string, NetChange>();
  /** Changes of the project's folder when a copy was taken or that was undone. They repeat what the copy has. */
  const inProject = new Set<number>();
  for await (const event of journal.read()) {
    if (event.type === 'history-copied' && event.changes === 'settled') changes.clear();
    if (event.type !== 'file-changed') continue;
    if (event.by === 'take' || event.undoes.some((seq) => inProject.has(seq))) {
      inProject.add(event.seq);
      continue;
    }
    const { path, before, after } = event;
    changes.set(path, { path, before: changes.has(path) ? (changes.get(path)?.before ?? null) : before, after });
  }
  return [...changes.values()]
    .filter(({ before, after }) => !isSameImage(before, after))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}
