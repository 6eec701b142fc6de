import type { ReactNode } from 'react';
import type { Counterfactual, Elsewhere } from '@shared/money/counterfactual.ts';
import type { EnergyTotals } from '@shared/money/cost-report.ts';
import { seconds, span } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { FoldMark } from '../layout/fold.tsx';
import { RouteDot } from './route-dot.tsx';

/** What the same work would have cost in one place alone. A click shows how this was computed. */
export function CounterfactualFigures({ figures: { allLocal, allCloud } }: { readonly figures: Counterfactual }) {
  return (
    <>
      <Place where="local" figures={allLocal} />
      <Place where="cloud" figures={allCloud} />
    </>
  );
}

function Place({ where, figures }: { readonly where: 'local' | 'cloud'; readonly figures: Elsewhere }) {
  return <CounterfactualFigure where={where} label={t(`cost.all.${where}`)} figures={figures} />;
}

interface CounterfactualFigureProps {
  readonly where: 'local' | 'cloud';
  readonly label: ReactNode;
  readonly figures: Elsewhere;
}

/** The cost and time in that place, with intervals. A click shows how they were computed. */
export function CounterfactualFigure({ where, label, figures }: CounterfactualFigureProps) {
  const { basis, usd, seconds: time, why, formula } = figures;
  const { write } = useMoney();
  return (
    <details className="text-sm">
      <summary className="-mx-2 flex list-none items-center gap-2 rounded-md px-2 py-1 hover:bg-sunken">
        <RouteDot where={where} />
        <span className="min-w-0 flex-1 wrap-anywhere">{label}</span>
        <span className="text-right tabular-nums">
          {usd === null ? t('cost.notKnown') : write((show) => span(usd, show))}
          {time !== null && (
            <span className="block text-xs text-soft">{span(time, (value) => seconds(value * 1000))}</span>
          )}
        </span>
        <FoldMark className="text-soft opacity-60" />
      </summary>
      <p className="pt-1 pb-2 pl-4.5 text-sm text-soft">
        {t(`cost.basis.${basis}`)}
        {why !== null && ` ${t('cost.why', { why })}`} {t('cost.formula', { formula })}
      </p>
    </details>
  );
}

/** Electricity of local calls: measured by a meter, or estimated from the watts in the settings. */
export function EnergyText({ energy, localCalls }: { readonly energy: EnergyTotals; readonly localCalls: number }) {
  const { wattHours, energyUsd, unmeteredCalls, unpricedEnergyCalls, estimatedEnergyCalls } = energy;
  const navigate = useNavigate();
  const { both } = useMoney();
  const settings = (
    <button type="button" className="underline hover:text-ink" onClick={() => navigate({ type: 'settings' })}>
      {t('cost.energySet')}
    </button>
  );
  if (localCalls <= unmeteredCalls) {
    return (
      <p className="text-sm text-soft">
        {t('cost.energyUnknown')} {settings}
      </p>
    );
  }
  const amount = t(estimatedEnergyCalls > 0 ? 'cost.energyAbout' : 'cost.energyMeasured', { wh: wattHours.toFixed(2) });
  return (
    <p className="text-sm tabular-nums">
      {amount} · {unpricedEnergyCalls > 0 ? t('cost.energyUnpriced') : both(energyUsd)}{' '}
      {unpricedEnergyCalls > 0 && settings}
      {unmeteredCalls > 0 && <span className="text-soft"> · {plural('cost.unmetered', unmeteredCalls)}</span>}
    </p>
  );
}
