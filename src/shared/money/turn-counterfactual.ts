import type { SessionState } from '@shared/session/session-state.ts';
import type { CloudReference, Counterfactual, Interval } from './counterfactual.ts';
import { counterfactualOf } from './counterfactual.ts';
import type { Needed } from './task-needs.ts';
import { neededBy, taskOf } from './task-needs.ts';
import { sessionWork } from './workload.ts';

type Session = Pick<SessionState, 'turns' | 'steps'>;

/**
 * What a session, or one of its turns, would have cost in one place alone. A task that this machine did alone is priced
 * by what the cloud model needed for such tasks, if its record is large enough: never by tokens that were wasted here.
 * Everything else is estimated by `counterfactualOf`.
 */
export function counterfactualOfTurns(
  state: Session,
  reference: CloudReference | null,
  turnId: string | null = null,
): Counterfactual {
  const known = sessionWork(state);
  const plain = counterfactualOf(sessionWork(state, turnId), reference, known);
  if (reference === null || !reference.needs?.length) return plain;
  const turns = state.turns.filter(({ id }) => turnId === null || id === turnId);
  const needOf = neededBy(reference.needs);
  const needed = new Map(
    turns.flatMap((turn) => {
      const { local, cloud } = sessionWork(state, turn.id);
      const task = local.calls === 0 || cloud.calls > 0 ? null : taskOf(turn, state.steps);
      const need = task === null ? null : needOf(task);
      return need === null ? [] : [[turn.id, need] as const];
    }),
  );
  if (needed.size === 0) return plain;
  const isRest = ({ turnId: id }: { readonly turnId: string | null }): boolean => id === null || !needed.has(id);
  const rest = { turns: turns.filter(({ id }) => !needed.has(id)), steps: state.steps.filter(isRest) };
  const work = sessionWork(rest, turnId);
  const other = counterfactualOf(work, reference, known).allCloud;
  const hasOther = work.local.calls + work.cloud.calls > 0;
  const usd = hasOther ? other.usd : { value: 0, low: 0, high: 0 };
  const text = `${needed.size === 1 ? 'a task' : `${needed.size} tasks`} by what ${reference.model} needed for others of the kind and size (${leastOf(needed)} or more in this home)`;
  return {
    ...plain,
    allCloud: {
      ...plain.allCloud,
      basis: 'estimated',
      usd: usd === null ? null : [...needed.values()].reduce<Interval>(plus, usd),
      why: usd === null ? other.why : null,
      formula: hasOther ? `${text}; the rest: ${other.formula}` : text,
    },
  };
}

function leastOf(needed: ReadonlyMap<string, Needed>): number {
  return Math.min(...[...needed.values()].map(({ tasks }) => tasks));
}

function plus(left: Interval, right: Interval): Interval {
  return { value: left.value + right.value, low: left.low + right.low, high: left.high + right.high };
}
