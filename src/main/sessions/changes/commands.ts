import type { BlobRef } from '@shared/events/blob-ref.ts';
import { readImageFacts } from '../../lib/files/image-facts.ts';
import type { ShownFile, ShownFileSource } from '@shared/contract/sessions-contract.ts';
import { fileText } from '../../lib/files/file-text.ts';
import type { Handlers } from '../../server/handlers.ts';
import { showChanges, takeChanges, undoChanges } from './undo-and-take.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import { refuseAtWork } from '../open/refused-requests.ts';
import type { LiveJournal } from '../journal/live-journal.ts';

/** Larger files are not shown, because the page holds the whole file. */
const maxBytes = 5 * 1024 * 1024;

/** Handlers that show, take and undo a session's changes. */
export function createChangeCommands(sessions: OpenSessions): Handlers['changes'] {
  const atRest = (sessionId: string): Promise<LiveJournal> => {
    refuseAtWork(sessions, sessionId);
    return sessions.journal(sessionId);
  };
  return {
    show: async ({ input }) => showChanges(await sessions.journal(input.sessionId), input.paths),
    take: async ({ input }) => takeChanges(await atRest(input.sessionId), input.paths, input.hunks),
    undo: async ({ input }) => undoChanges(await atRest(input.sessionId), input.paths, input.hunks),
    file: async ({ input }) => readShownFile(await sessions.journal(input.sessionId), input.source),
    untracked: async ({ input }) => (await sessions.journal(input.sessionId)).state().untracked,
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
