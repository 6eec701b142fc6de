import { z } from 'zod';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';

/** The name of the action whose output is the map in the conversation. */
export const mapAction = 'map_project';

/** The first map of a large project takes longer. It is left out then, and the next turn goes on where this one ended. */
const mostMs = 8_000;

/**
 * Reads the map of the project, as far as it fits: a large model gets 4,000 tokens, a small one 400 to 1,000. A session
 * gets one map, so that the start of its prompt stays the same byte for byte; the tools know what has changed since.
 */
export async function readProjectMap(turn: ActingTurn & Pick<Turn, 'task'>, model: ModelInfo): Promise<void> {
  const { journal, project } = turn.dependencies;
  const isThere = journal.state().actions.some(({ tool, status }) => tool === mapAction && status === 'ok');
  if (isThere) return;
  const tokens = mapTokens(model);
  await takeAction(
    turn,
    {
      tool: mapAction,
      label: 'map the project',
      input: { tokens },
      run: async () => {
        const limit = AbortSignal.any([turn.signal, AbortSignal.timeout(mostMs)]);
        const ask = { words: turn.task, touched: [], tokens };
        const map = await project.symbols?.map(ask, limit);
        if (map?.ok !== true) {
          const why = map?.error.message ?? 'There is no project.';
          return { status: turn.signal.aborted ? 'cancelled' : 'error', output: `No map was made: ${why}`, data: null };
        }
        const { text, definitions, all } = map.value;
        if (text === '') return { status: 'error', output: 'The project has no names for a map.', data: null };
        const heading = `Map of the project, by file and line, ${definitions} of ${all.definitions} names:`;
        return { status: 'ok', output: `${heading}\n${text}`, data: null };
      },
    },
    (data) => z.null().parse(data),
  );
}

function mapTokens(model: ModelInfo): number {
  const share = Math.floor(model.contextTokens / 20);
  return isSmall(model) ? Math.min(1_000, Math.max(400, share)) : Math.min(4_000, Math.max(1_000, share));
}
