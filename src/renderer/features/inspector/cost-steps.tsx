import { useState } from 'react';
import { failureText } from '../../lib/failure-text.ts';
import { money, seconds } from '../../lib/format.ts';
import { t } from '../../lib/texts.ts';
import { useStepCosts } from '../../lib/use-step-costs.ts';
import { Button } from '../../ui/button.tsx';
import { ElsewhereFigure } from '../../ui/elsewhere.tsx';
import { Empty } from '../../ui/facts.tsx';
import { Fold } from '../../ui/fold.tsx';
import { Problem } from '../../ui/problem.tsx';

/** Of a session of many weeks the latest; more at a click. */
const shownSteps = 200;

interface CostStepsProps {
  readonly sessionId: string;
  readonly version: number;
}

/** Each step with what the same tokens would have cost in the other place; counted when it is opened. */
export function CostSteps({ sessionId, version }: CostStepsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState(shownSteps);
  const { data, error, refetch } = useStepCosts(sessionId, version, isOpen);
  return (
    <div className="mt-6">
      <Fold label={t('cost.steps')} className="text-xs font-semibold" onToggle={setIsOpen}>
        {error !== null && <Problem text={failureText(error)} onAgain={refetch} />}
        {isOpen && data === undefined && error === null && <Empty>{t('cost.steps.loading')}</Empty>}
        {data !== undefined && data.length > shown && (
          <p className="mt-2 flex items-center gap-2 text-xs text-soft">
            {t('cost.steps.last', { count: shown, all: data.length })}
            <Button size="small" onClick={() => setShown(shown + shownSteps)}>
              {t('cost.steps.more')}
            </Button>
          </p>
        )}
        <ol className="mt-2">
          {data?.slice(-shown).map(({ step, where, costUsd, seconds: time, elsewhere }) => (
            <li key={step}>
              <ElsewhereFigure
                where={where === 'local' ? 'cloud' : 'local'}
                label={t('cost.steps.step', { step, money: money(costUsd), time: seconds(time * 1000) })}
                figures={elsewhere}
              />
            </li>
          ))}
        </ol>
      </Fold>
    </div>
  );
}
