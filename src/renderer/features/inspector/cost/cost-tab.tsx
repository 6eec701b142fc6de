import { aboutUsd } from '@shared/money/money-text.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SpendingLimit } from '@shared/money/spending-limit.ts';
import { spendingLimitOf } from '@shared/money/spending-limit.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { money as dollars, seconds, tokens } from '../../../lib/text/format.ts';
import { limitText } from '../../../lib/text/limit-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useMoney } from '../../../lib/text/use-money.ts';
import { Empty, Section } from '../../../ui/layout/facts.tsx';
import { ModelName } from '../../../ui/figures/model-name.tsx';
import { OwnPriceMark } from '../../../ui/figures/own-price-mark.tsx';
import { ReceiptLink } from '../../../ui/figures/receipt-link.tsx';
import { LostFigures } from '../../../ui/figures/lost-figures.tsx';
import { RouteDot } from '../../../ui/figures/route-dot.tsx';
import { CostSteps } from './cost-steps.tsx';
import { CostRollups } from './cost-rollups.tsx';
import { comparedWith } from '@shared/money/counterfactual.ts';
import { counterfactualOfTurns } from '@shared/money/turn-counterfactual.ts';
import { sessionWork } from '@shared/money/workload.ts';
import { useProjectKey } from '../../../lib/window/use-projects.ts';
import { useCloudReference } from '../../../lib/models/use-cloud-reference.ts';
import { CounterfactualFigures, EnergyText } from '../../../ui/figures/counterfactual-figures.tsx';

interface CostTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly money: MoneyState;
}

/** Next to a figure, which is said again only where the limit counts more than this session. */
function spentOfLimit(limit: SpendingLimit, shownUsd: number | null): string {
  if (limit.spentUsd !== shownUsd) return limitText(limit);
  return t('money.ofLimitOnly', { limit: dollars(limit.limitUsd), scope: t(`cap.scope.${limit.scope}`) });
}

/** What the session used and its cost: four disjoint buckets, by place and by model. */
export default function CostTab({ sessionId, state, money }: CostTabProps) {
  const { both } = useMoney();
  if (money.calls === 0 && money.children.sessions === 0) {
    return (
      <>
        <Empty action="message">{t('cost.none')}</Empty>
        <ReceiptLink about={{ type: 'session', sessionId }} />
      </>
    );
  }
  const limit = spendingLimitOf(state);
  const { children } = money;
  return (
    <>
      <p className="text-xl font-semibold tracking-tight tabular-nums">
        {both(money.costUsd + children.costUsd)}
        {limit !== null && (
          <span className="text-sm font-normal tracking-normal text-soft">
            {' '}
            {spentOfLimit(limit, money.costUsd + children.costUsd)}
          </span>
        )}
      </p>
      {money.unpricedCalls > 0 && <p className="text-sm text-warn">{plural('cost.unpriced', money.unpricedCalls)}</p>}
      {limit !== null && limit.limitUsd > 0 && (
        <progress
          value={Math.min(limit.spentUsd, limit.limitUsd)}
          max={limit.limitUsd}
          aria-label={t('cost.limit')}
          className="mt-2 h-1.5 w-full appearance-none overflow-hidden rounded-full bg-chosen [&::-webkit-progress-bar]:bg-chosen [&::-webkit-progress-value]:bg-cloud"
        />
      )}
      {children.sessions > 0 && (
        <p className="mt-2 text-sm text-soft">
          {plural('cost.children', children.sessions, {
            money: both(children.unpriced > 0 ? null : children.costUsd),
          })}
        </p>
      )}
      <Section title={t('cost.buckets')}>
        <Buckets money={money} />
        {money.usage.estimated && <p className="text-sm text-soft">{t('cost.estimated')}</p>}
      </Section>
      <Section title={t('cost.models')}>
        <Models money={money} />
      </Section>
      <LostFigures lost={money.lost} />
      <ServerCosts state={state} />
      <CostCounterfactual state={state} />
      <CostSteps sessionId={sessionId} version={money.calls} />
      <Section title={t('receipt.title')}>
        <ReceiptLink about={{ type: 'session', sessionId }} />
      </Section>
      <CostRollups projectPath={useProjectKey(state)} version={money.calls} />
    </>
  );
}

const cell = 'py-1 pl-4 text-right tabular-nums';
const head = 'py-1 font-normal text-soft';

function Buckets({ money }: { readonly money: MoneyState }) {
  const { both } = useMoney();
  const { local, cloud } = money;
  const rows = [
    [t('cost.fresh'), local.usage.freshInput, cloud.usage.freshInput],
    [t('cost.read'), local.usage.cacheRead, cloud.usage.cacheRead],
    [t('cost.write'), local.usage.cacheWrite, cloud.usage.cacheWrite],
    [t('cost.output'), local.usage.output, cloud.usage.output],
    [t('cost.reasoning'), local.usage.reasoning, cloud.usage.reasoning],
  ] as const;
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b">
          <th scope="col" className={`${head} text-left`}>
            {t('cost.bucket')}
          </th>
          {(['local', 'cloud'] as const).map((where) => (
            <th key={where} scope="col" className={`${head} text-right`}>
              <span className="inline-flex items-center gap-1.5">
                <RouteDot where={where} /> {t(`step.${where}`)}
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, here, there]) => (
          <tr key={label}>
            <th scope="row" className={`${head} text-left ${label === t('cost.reasoning') ? 'pl-3' : ''}`}>
              {label}
            </th>
            <td className={cell}>{tokens(here)}</td>
            <td className={cell}>{tokens(there)}</td>
          </tr>
        ))}
        <tr className="border-t font-semibold">
          <th scope="row" className="py-1 text-left font-semibold">
            {t('cost.money')}
          </th>
          <td className={cell}>{both(costOf(local))}</td>
          <td className={cell}>{both(costOf(cloud))}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Models({ money }: { readonly money: MoneyState }) {
  const { both } = useMoney();
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b">
          <th scope="col" className={`${head} text-left`}>
            {t('cost.model')}
          </th>
          <th scope="col" className={`${head} text-right`}>
            {t('cost.calls')}
          </th>
          <th scope="col" className={`${head} text-right`}>
            {t('cost.money')}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(money.byModel).map(([id, totals]) => (
          <tr key={id}>
            <th scope="row" className="py-1 text-left font-normal wrap-anywhere">
              <ModelName id={id} />
              <OwnPriceMark model={id} />
            </th>
            <td className={cell}>{totals.calls}</td>
            <td className={cell}>{both(costOf(totals))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Use of tool servers by task: calls and time. Servers do not report what a call costs. */
function ServerCosts({ state }: { readonly state: SessionState }) {
  const rows = state.turns.flatMap(({ id, messageId, servers = [] }) =>
    servers.map((use) => ({ ...use, id, text: state.messages.find((one) => one.messageId === messageId)?.text ?? '' })),
  );
  if (rows.length === 0) return null;
  return (
    <Section title={t('cost.servers')}>
      <ul className="flex flex-col gap-1.5 text-sm">
        {rows.map(({ id, server, calls, carried, failed, ms, text }) => (
          <li key={`${id} ${server}`}>
            <span className="block truncate text-soft">{seenName(text)}</span>
            <span className="font-mono text-xs">{seenName(server)}</span>
            <span className="block tabular-nums">
              {plural('cost.servers.calls', calls, { time: seconds(ms) })}
              {carried > 0 && ` · ${plural('cost.servers.carried', carried)}`}
              {failed > 0 && ` · ${t('cost.servers.failed', { failed })}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">{t('cost.servers.price')}</p>
    </Section>
  );
}

/** A sum with an unknown part is unpriced, not smaller. */
function costOf(totals: { readonly costUsd: number; readonly unpricedCalls: number }): number | null {
  return totals.unpricedCalls > 0 ? null : totals.costUsd;
}

/** What the same work would have cost in one place alone, and the electricity used. */
export function CostCounterfactual({ state }: { readonly state: SessionState }) {
  const reference = useCloudReference(state);
  const { both } = useMoney();
  const work = sessionWork(state);
  const figures = counterfactualOfTurns(state, reference);
  const { usd, seconds: time } = comparedWith(figures.allCloud, work);
  return (
    <>
      <Section title={t('cost.elsewhere')}>
        <CounterfactualFigures figures={figures} />
        {usd !== null && (
          <p className="text-sm">{t(`cost.against.usd.${usd.way}`, { money: both(aboutUsd(usd.by)) })}</p>
        )}
        {time !== null && (
          <p className="text-sm">{t(`cost.against.seconds.${time.way}`, { time: seconds(time.by * 1000) })}</p>
        )}
      </Section>
      <Section title={t('cost.energy')}>
        <EnergyText energy={work.local} localCalls={work.local.calls} />
      </Section>
    </>
  );
}
