import { gatherFacts } from './projects/facts/gather-project-facts.ts';
import { createFindParts } from './projects/facts/project-parts.ts';
import { readEnvironment } from './projects/facts/read-environment.ts';
import type { SessionProject } from './agent/turn/agent-dependencies.ts';

/** What every session finds out about its project at the start of a turn. A new part gets its finder here. */
export function createProjectParts(): Pick<SessionProject, 'gatherFacts' | 'findParts' | 'readEnvironment'> {
  return {
    gatherFacts,
    readEnvironment,
    findParts: createFindParts([['repository', async ({ facts }) => facts.git]]),
  };
}
