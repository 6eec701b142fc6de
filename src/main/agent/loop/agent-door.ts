import { fencedIn } from '../../safety/fenced-text.ts';
import type { AgentDoor } from '../../tools/agents/agent-tools.ts';
import type { Turn } from '../turn/turn.ts';

/** How the tools of this turn reach its agents; null: there are none, as in a replay. */
export function agentDoor(turn: Turn): AgentDoor | null {
  const { agents } = turn.dependencies;
  if (agents === undefined) return null;
  return {
    agents,
    parent: async (toolCallId, task, signal) => {
      // An agent is asked through the same fences as a model: it may be one that works elsewhere.
      const { text, hits } = await fencedIn(turn.dependencies.fences, task, signal);
      const { policy, local, cloud, approve, maxUsd, atCap, network, instructions } = turn.options;
      const parent = {
        turnId: turn.id,
        toolCallId,
        policy,
        local,
        cloud,
        approve,
        network,
        instructions,
        taskCapUsd: maxUsd,
        atCap,
        tokensLeft: turn.limits.tokensLeft(),
        millisecondsLeft: turn.limits.millisecondsLeft(turn.dependencies.journal.now()),
        fenced: hits,
      };
      return { text, parent };
    },
  };
}
