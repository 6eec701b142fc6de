import type { Elsewhere } from '@shared/money/counterfactual.ts';
import type { CostReport, CostRow } from '@shared/money/cost-report.ts';
import { type Currency, inCurrency } from '@shared/money/currency.ts';
import { lostUsd } from '@shared/money/lost-calls.ts';
import { sheetCell } from '@shared/text/csv-text.ts';

const columns = [
  'key',
  'label',
  'calls',
  'local_calls',
  'failed_calls',
  'cancelled_calls',
  'fresh_input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'tokens_estimated',
  'cost_usd',
  'unpriced_calls',
  'failed_usd',
  'cancelled_usd',
  'sent_back_calls',
  'sent_back_usd',
  'all_cloud_usd',
  'all_cloud_usd_low',
  'all_cloud_usd_high',
  'all_cloud_basis',
  'all_local_usd',
  'all_local_usd_low',
  'all_local_usd_high',
  'all_local_basis',
  'energy_wh',
  'energy_usd',
  'energy_estimated',
  'unmetered_calls',
];

/**
 * Unknown figures are empty. `cost_usd` is empty if no call has a price. If `unpriced_calls` is above 0, the real cost
 * is higher than `cost_usd`. With a currency, its columns come last.
 */
export function costsCsv({ rows }: CostReport, currency: Currency | null): string {
  const lines = rows.map((row) => {
    const { usage } = row;
    return [
      row.key,
      row.label,
      row.calls,
      row.localCalls,
      row.failedCalls,
      row.cancelledCalls,
      usage.freshInput,
      usage.cacheRead,
      usage.cacheWrite,
      usage.output,
      usage.reasoning,
      usage.estimated,
      rounded(knownCostUsd(row)),
      row.unpricedCalls,
      rounded(lostUsd(row.lost.failed)),
      rounded(lostUsd(row.lost.cancelled)),
      row.lost.sentBack.calls,
      rounded(lostUsd(row.lost.sentBack)),
      ...elsewhereCells(row.elsewhere.allCloud),
      ...elsewhereCells(row.elsewhere.allLocal),
      ...energyCells(row),
      ...(currency === null ? [] : currencyCells(row, currency)),
    ]
      .map(sheetCell)
      .join(',');
  });
  const head = [...columns, ...(currency === null ? [] : currencyColumns)];
  return [head.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

const currencyColumns = ['currency', 'per_usd', 'cost', 'all_cloud', 'all_local', 'energy'];

/** The same sums as those in dollars, at the user's rate. Empty where those are. */
function currencyCells(row: CostRow, currency: Currency): readonly (string | number)[] {
  const { allCloud, allLocal } = row.elsewhere;
  const sums = [knownCostUsd(row), allCloud.usd?.value ?? null, allLocal.usd?.value ?? null, knownEnergyUsd(row)];
  const own = sums.map((usd) => rounded(usd === null ? null : inCurrency(currency, usd)));
  return [currency.code, currency.perUsd, ...own];
}

/** Null: no call has a price. */
const knownCostUsd = ({ calls, unpricedCalls, costUsd }: CostRow): number | null =>
  calls > 0 && unpricedCalls === calls ? null : costUsd;

/** Null: no local call was metered, or not all have a price. */
const knownEnergyUsd = ({ localCalls, energy }: CostRow): number | null =>
  localCalls > energy.unmeteredCalls && energy.unpricedEnergyCalls === 0 ? energy.energyUsd : null;

/** Empty: unknown. */
const rounded = (sum: number | null): number | '' => (sum === null ? '' : Number(sum.toFixed(9)));

function elsewhereCells({ usd, basis }: Elsewhere): readonly (string | number)[] {
  return usd === null ? ['', '', '', basis] : [rounded(usd.value), rounded(usd.low), rounded(usd.high), basis];
}

function energyCells(row: CostRow): readonly (string | number | boolean)[] {
  const { wattHours, unmeteredCalls, estimatedEnergyCalls } = row.energy;
  return [
    row.localCalls > unmeteredCalls ? Number(wattHours.toFixed(6)) : '',
    rounded(knownEnergyUsd(row)),
    estimatedEnergyCalls > 0,
    unmeteredCalls,
  ];
}
