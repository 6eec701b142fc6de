import { neverAborts } from '../lib/async/abort.ts';
import type { Handlers } from '../server/handlers.ts';
import type { DocumentPlaces } from './document-places.ts';

/** Handlers for places in documents that answers cite. */
export function createDocumentCommands({ find, show }: DocumentPlaces): Handlers['documents'] {
  return {
    find: ({ input: { sessionId, places }, signal }) => find(sessionId, places, signal ?? neverAborts),
    show: ({ input: { sessionId, place }, signal }) => show(sessionId, place, signal ?? neverAborts),
  };
}
