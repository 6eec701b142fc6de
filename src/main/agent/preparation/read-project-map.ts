import { z } from 'zod';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { mapAction } from '../prompt/loaded-skills.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';

/** The first map of a large project takes longer. It is left out then, and the next turn goes on where this one ended. */
const mostMs = 8_000;

/**
 * Reads the map of the project, as far as it fits: a large model gets 4,000 tokens, a small one 400 to 1,000. A
 * conversation shows one map, so that the start of its prompt stays the same byte for byte; the tools know what has
 * changed since. A new one is read when a summary or a restore took the map out of it.
 */
export async function readProjectMap(
  turn: ActingTurn & Pick<Turn, 'task' | 'prompt'>,
  model: ModelInfo,
): Promise<void> {
  const { project } = turn.dependencies;
  if (turn.prompt.conversation.folderNotes().includes(mapAction)) return;
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
          const late = `It was not ready within ${mostMs / 1_000} s. The next message goes on where this one ended.`;
          const why = limit.aborted && !turn.signal.aborted ? late : (map?.error.message ?? 'There is no project.');
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
