import type { Counterfactual, Elsewhere } from '@shared/counterfactual.ts';
import type { EnergyTotals } from '@shared/cost-report.ts';
import { money, seconds, span } from '../lib/format.ts';
import { plural, t } from '../lib/texts.ts';
import { RouteDot } from './route-dot.tsx';

/** What the same tokens would have cost in one place alone; how that was worked out is one click away. */
export function ElsewhereFigures({ figures: { allLocal, allCloud } }: { readonly figures: Counterfactual }) {
  return (
    <>
      <Place where="local" figures={allLocal} />
      <Place where="cloud" figures={allCloud} />
    </>
  );
}

function Place({ where, figures }: { readonly where: 'local' | 'cloud'; readonly figures: Elsewhere }) {
  const { basis, usd, seconds: time, why, formula } = figures;
  return (
    <details className="text-sm">
      <summary className="flex cursor-pointer items-center gap-2 py-1">
        <RouteDot where={where} />
        <span className="flex-1">{t(`cost.all.${where}`)}</span>
        <span className="tabular-nums">{usd === null ? t('cost.notKnown') : span(usd, money)}</span>
      </summary>
      <p className="pb-1 pl-4 text-xs text-soft">
        {t(`cost.basis.${basis}`)}
        {time !== null && ` ${t('cost.time', { time: span(time, (value) => seconds(value * 1000)) })}`}
        {why !== null && ` ${t('cost.why', { why })}`} {t('cost.formula', { formula })}
      </p>
    </details>
  );
}

/** Electricity of local calls: what a meter said, or about what the watts of the settings come to. */
export function EnergyText({ energy, localCalls }: { readonly energy: EnergyTotals; readonly localCalls: number }) {
  const { wattHours, energyUsd, unmeteredCalls, unpricedEnergyCalls, estimatedEnergyCalls } = energy;
  if (localCalls <= unmeteredCalls) return <p className="text-sm text-soft">{t('cost.energyUnknown')}</p>;
  const amount = t(estimatedEnergyCalls > 0 ? 'cost.energyAbout' : 'cost.energyMeasured', { wh: wattHours.toFixed(2) });
  return (
    <p className="text-sm tabular-nums">
      {amount} · {unpricedEnergyCalls > 0 ? t('cost.energyUnpriced') : money(energyUsd)}
      {unmeteredCalls > 0 && <span className="text-soft"> · {plural('cost.unmetered', unmeteredCalls)}</span>}
    </p>
  );
}
