import type { ReactNode } from 'react';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import type { PlanState } from './use-plan.ts';

interface PlannedWorkProps<Plan> {
  readonly planned: PlanState<Plan, unknown>;
  /** What the button says that carries the plan out. */
  readonly label: string;
  readonly children: (plan: Plan) => ReactNode;
}

/** A plan as it would be carried out, or why there is none, and the button for it. */
export function PlannedWork<Plan>({ planned, label, children }: PlannedWorkProps<Plan>) {
  const { plan, isLooking, problem, isBusy, make } = planned;
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {plan === null && isLooking && <p className="text-xs text-soft">{t('git.looking')}</p>}
      {plan !== null && children(plan)}
      <div className="flex justify-end">
        <Button size="small" look="primary" disabled={isBusy || isLooking || plan === null} onClick={() => void make()}>
          {label}
        </Button>
      </div>
    </>
  );
}
