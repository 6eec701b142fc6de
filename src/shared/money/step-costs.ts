import type { CloudReference, Elsewhere } from './counterfactual.ts';
import { stepElsewhere } from './counterfactual.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import { splitWorkload } from './workload.ts';

/** What one step cost, and what the same tokens would have cost in the other place. */
export interface StepCost {
  readonly step: number;
  readonly model: string;
  readonly where: Where;
  /** US dollars; null when unpriced. */
  readonly costUsd: number | null;
  readonly seconds: number;
  /** In the cloud for a local step, on this machine for a cloud step, at the speeds and prices of this session. */
  readonly elsewhere: Elsewhere;
}

interface Step {
  readonly step: number;
  readonly model: string;
  readonly where: Where;
  readonly end: EventOf<'model-call-ended'>;
}

/** Folds a log event by event. Leaves out calls that have not ended. */
export function foldStepCosts(): {
  readonly add: (event: SessionEvent) => void;
  /** The cloud model that was called last, else the strongest that a decision weighed; null when there was none. */
  readonly lastCloudModel: () => string | null;
  readonly costs: (reference: CloudReference | null) => readonly StepCost[];
} {
  const started = new Map<string, Omit<Step, 'end'>>();
  const steps: Step[] = [];
  let weighed: string | null = null;
  return {
    add: (event) => {
      if (event.type === 'route-decided')
        weighed = event.options?.findLast(({ where }) => where === 'cloud')?.model ?? weighed;
      if (event.type === 'model-call-started') {
        const { model, where } = event.stage;
        started.set(event.callId, { step: event.step, model, where });
      }
      const begun = event.type === 'model-call-ended' ? started.get(event.callId) : undefined;
      if (event.type === 'model-call-ended' && begun !== undefined) steps.push({ ...begun, end: event });
    },
    lastCloudModel: () => steps.findLast(({ where }) => where === 'cloud')?.model ?? weighed,
    costs: (reference) => {
      const known = splitWorkload(steps);
      return steps.map(({ step, model, where, end }) => ({
        step,
        model,
        where,
        costUsd: end.costUsd,
        seconds: end.timings.totalMs / 1000,
        elsewhere: stepElsewhere({ where, end }, reference, known),
      }));
    },
  };
}
