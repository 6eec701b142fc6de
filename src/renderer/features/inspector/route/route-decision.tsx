import type { EventOf } from '@shared/events/events.ts';
import type { StepState } from '@shared/session/session-state.ts';
import { seenCommand, seenName, seenWords } from '@shared/text/seen-text.ts';
import { money, seconds } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { useDetail } from '../../../lib/session/use-log-detail.ts';
import { Section } from '../../../ui/layout/facts.tsx';
import { ModelName } from '../../../ui/figures/model-name.tsx';
import { OwnPriceMark } from '../../../ui/figures/own-price-mark.tsx';
import { RouteDot } from '../../../ui/figures/route-dot.tsx';
import type { CallDetail } from '@shared/contract/sessions-contract.ts';

type Route = EventOf<'route-decided'>;

/** The options of a step with their prices, and the votes. Empty when the log does not have them. */
export function RouteDecision({ sessionId, step }: { readonly sessionId: string; readonly step: StepState }) {
  const load = useDetail(sessionId, step.callId, step.end === null ? 'running' : 'ended');
  const route = load.type === 'ready' ? load.detail.route : undefined;
  const after = load.type === 'ready' ? (load.detail.after ?? []) : [];
  if (route?.layer === undefined) return <After events={after} />;
  return (
    <>
      <p className="mt-3 text-sm text-soft">{t(`route.layer.${route.layer}`)}</p>
      {route.degraded === true && <p className="mt-1 text-sm text-soft">{t('route.degraded')}</p>}
      {route.otherwise !== undefined && route.otherwise !== '' && (
        <p className="mt-1 text-sm wrap-anywhere">{t('route.otherwise', { text: seenWords(route.otherwise) })}</p>
      )}
      {route.options !== undefined && route.options.length > 0 && <Options options={route.options} />}
      {typeof route.gain === 'number' && <Votes votes={route.votes ?? []} gain={route.gain} />}
      {typeof route.gain === 'number' && route.features?.hasLocalSureness === 0 && (
        <p className="mt-2 text-sm text-soft">{t('route.noSureness')}</p>
      )}
      <After events={after} />
    </>
  );
}

/** The checks before the end was accepted, and prefills for the way back. */
function After({ events }: { readonly events: NonNullable<CallDetail['after']> }) {
  if (events.length === 0) return null;
  return (
    <Section title={t('route.after')}>
      <ul className="flex flex-col gap-2 text-sm">
        {events.map((event) => (
          <li key={event.seq} className="wrap-anywhere">
            {afterText(event)}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function afterText(event: NonNullable<CallDetail['after']>[number]): string {
  switch (event.type) {
    case 'check-ended':
      return t(event.passed ? 'route.checkPassed' : 'route.checkFailed', { command: seenCommand(event.command) });
    case 'gate-checked':
      return t(`route.gate.${event.by}.${event.verdict}`, { text: event.text });
    case 'cache-prefilled':
      return seenWords(event.text);
    default:
      return event satisfies never;
  }
}

function Options({ options }: { readonly options: NonNullable<Route['options']> }) {
  return (
    <Section title={t('route.options')}>
      <ul className="flex flex-col gap-2 text-sm">
        {options.map(({ model, where, denied, solves, costUsd, restUsd, seconds: time }) => (
          <li key={model} className="flex gap-2.5">
            <span className="mt-1.5">
              <RouteDot where={where} />
            </span>
            <div className="min-w-0 wrap-anywhere">
              <p>
                <ModelName id={model} />
                <OwnPriceMark model={model} />
              </p>
              <p className="text-sm text-soft">
                {denied === null
                  ? [
                      solves === undefined ? null : t('route.solves', { percent: Math.round(solves * 100) }),
                      costUsd === null ? null : t('route.thisCall', { money: money(costUsd) }),
                      restUsd === null ? null : t('route.toTheEnd', { money: money(restUsd) }),
                      time === null ? null : seconds(time * 1000),
                    ]
                      .filter((text) => text !== null)
                      .join(' · ')
                  : t('route.denied', { text: denied.text })}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The largest reasons first. */
function sorted(votes: NonNullable<Route['votes']>): NonNullable<Route['votes']> {
  return votes.toSorted((left, right) => right.weight - left.weight);
}

function Votes({ votes, gain }: { readonly votes: NonNullable<Route['votes']>; readonly gain: number }) {
  return (
    <Section title={t('route.votes')}>
      <p className="text-sm text-soft">{t('route.gain', { percent: Math.round(gain * 100) })}</p>
      <ul className="flex flex-col gap-1 text-sm">
        {sorted(votes).map(({ rule, toward, weight, reason }) => (
          <li key={`${rule} ${reason}`} className="flex gap-2.5">
            <span className="mt-1">
              <RouteDot where={toward} />
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere">{seenWords(reason)}</span>
            <span className="text-soft tabular-nums" title={seenName(rule)}>
              {weight.toFixed(1)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
