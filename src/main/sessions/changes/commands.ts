import type { BlobRef } from '@shared/events/blob-ref.ts';
import { readImageFacts } from '../../lib/files/image-facts.ts';
import type { ShownFile, ShownFileSource } from '@shared/contract/sessions-contract.ts';
import { fileText } from '../../lib/files/file-text.ts';
import type { Handlers } from '../../server/handlers.ts';
import { listCheckpoints } from './checkpoints.ts';
import { restoreTo } from './restore-to.ts';
import { showChanges, takeChanges, undoChanges } from './undo-and-take.ts';
import { orNoted } from '../../lib/log.ts';
import type { RouteRecord } from '../../routing/record/route-record.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { refuseAtWork } from '../open/refused-requests.ts';
import type { LiveJournal } from '../journal/live-journal.ts';

/** Larger files are not shown, because the page holds the whole file. */
const maxBytes = 5 * 1024 * 1024;

/** Handlers that show, take and undo a session's changes. `learn`: told what the person now thinks of them. */
export function createChangeCommands(sessions: OpenSessions, learn: RouteRecord['learn']): Handlers['changes'] {
  const atRest = (sessionId: string): Promise<LiveJournal> => {
    refuseAtWork(sessions, sessionId);
    return sessions.journal(sessionId);
  };
  const inTurn = createTurns();
  const judged = async <T>(journal: LiveJournal, work: Promise<T>): Promise<T> => {
    const done = await work;
    // The runs of a comparison repeat one task, so they say nothing more.
    if (journal.state().groupId === null)
      void learn(journal.state()).catch(orNoted('Nothing was learned from a decision', undefined));
    return done;
  };
  return {
    show: async ({ input }) => showChanges(await sessions.journal(input.sessionId), input.paths),
    take: ({ input: { sessionId, paths, hunks } }) =>
      inTurn(sessionId, async () => {
        const journal = await atRest(sessionId);
        return judged(journal, takeChanges(journal, paths, hunks));
      }),
    undo: ({ input: { sessionId, paths, hunks } }) =>
      inTurn(sessionId, async () => {
        const journal = await atRest(sessionId);
        return judged(journal, undoChanges(journal, paths, hunks));
      }),
    checkpoints: async ({ input }) => listCheckpoints(await sessions.journal(input.sessionId)),
    restore: async ({ input: { sessionId, ...choice } }) =>
      choice.isPreview === true
        ? restoreTo(await sessions.journal(sessionId), choice)
        : inTurn(sessionId, async () => restoreTo(await atRest(sessionId), choice)),
    file: async ({ input }) => readShownFile(await sessions.journal(input.sessionId), input.source),
    untracked: async ({ input }) => (await sessions.journal(input.sessionId)).state().untracked,
  };
}

/** Runs what changes the files of one session one after the other. */
function createTurns(): <T>(sessionId: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (sessionId, work) => {
    const running = (last.get(sessionId) ?? Promise.resolve()).then(work);
    const settled = running.catch(() => undefined);
    last.set(sessionId, settled);
    void settled.then(() => (last.get(sessionId) === settled ? last.delete(sessionId) : false));
    return running;
  };
}

/**
 * A file that the session made or was given, read from the log. Nothing is read from a disk on which an agent works. A
 * file that is neither a change nor an attachment of this session counts as missing.
 */
async function readShownFile(
  journal: Pick<LiveJournal, 'state' | 'getBlob'>,
  source: ShownFileSource,
): Promise<ShownFile> {
  const blob = blobOf(journal, source);
  if (blob === null) return { kind: 'none', why: 'missing' };
  if (blob.bytes > maxBytes) return { kind: 'none', why: 'too-large' };
  const bytes = await journal.getBlob(blob);
  if (bytes === null) return { kind: 'none', why: 'missing' };
  const image = readImageFacts(bytes);
  if (image !== null) return { kind: 'image', mediaType: image.mediaType, data: Buffer.from(bytes).toString('base64') };
  const read = fileText(bytes);
  return read === null ? { kind: 'none', why: 'binary' } : { kind: 'text', text: read.text };
}

function blobOf(journal: Pick<LiveJournal, 'state'>, source: ShownFileSource): BlobRef | null {
  const { changes, messages } = journal.state();
  if ('path' in source) {
    const after = changes.find(({ path }) => path === source.path)?.after;
    return after?.kept === true ? after.blob : null;
  }
  const given = messages.flatMap(({ attachments = [] }) => attachments.map(({ blob }) => blob));
  return given.find(({ sha256 }) => sha256 === source.sha256) ?? null;
}
