import { neverAborts } from '../lib/async/abort.ts';
import { wholeStream } from '../lib/async/push-queue.ts';
import type { KnowledgeProgress } from '@shared/documents/knowledge.ts';
import type { Handlers } from '../server/handlers.ts';
import type { DocumentPlaces } from './document-places.ts';
import type { ProjectKnowledge } from './knowledge/project-knowledge.ts';

/** Handlers for places in documents that answers cite, and for the knowledge of projects. */
export function createDocumentCommands(
  { find, show }: DocumentPlaces,
  knowledge: ProjectKnowledge,
): Pick<Handlers, 'documents' | 'knowledge'> {
  return {
    documents: {
      find: ({ input: { sessionId, places }, signal }) => find(sessionId, places, signal ?? neverAborts),
      show: ({ input: { sessionId, place }, signal }) => show(sessionId, place, signal ?? neverAborts),
    },
    knowledge: {
      list: ({ input: { projectPath } }) => knowledge.show(projectPath),
      add: ({ input: { projectPath, sources }, signal }) =>
        wholeStream<KnowledgeProgress>(async (tell, stop) => {
          tell({ type: 'ended', knowledge: await knowledge.add(projectPath, sources, { tell, signal: stop }) });
        }, signal),
      remove: ({ input: { projectPath, names }, signal }) => knowledge.remove(projectPath, names, signal),
      setWhole: ({ input: { projectPath, name, isWhole } }) => knowledge.setWhole(projectPath, name, isWhole),
    },
  };
}
