import type { Expectation, ExpectedWay } from '@shared/routing/outcomes.ts';
import { type AskedExpectation, useExpectation } from '../../lib/models/use-expectation.ts';
import { type Currency, inBoth } from '@shared/money/currency.ts';
import { aboutUsd, roundMoneyText } from '@shared/money/money-text.ts';
import { money, seconds, span } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { t } from '../../lib/text/translate.ts';

interface ExpectedWaysProps {
  readonly expectation: Expectation;
}

/** The same for the message that is being written. */
export function ExpectedMessage(props: AskedExpectation) {
  const expectation = useExpectation(props);
  return expectation === null ? null : <ExpectedWays expectation={expectation} />;
}

/** What a task is likely to bring on each way, before it is sent. What is unknown says so. */
export function ExpectedWays({ expectation: { ways, warning } }: ExpectedWaysProps) {
  const { currency } = useMoney();
  return (
    <div className="px-3.5 pb-1.5 text-xs text-soft" data-expected>
      {ways.every(isUnknown) ? (
        <p title={t('expected.notCounted')}>{t('expected.nothing')}</p>
      ) : (
        <ul className="flex flex-wrap gap-x-3 gap-y-0.5 tabular-nums" aria-label={t('expected.label')}>
          {ways.map((way) => (
            <li key={way.way} title={aboutOf(way, currency)}>
              {textOf(way, currency)}
            </li>
          ))}
        </ul>
      )}
      {warning !== null && <p className="mt-0.5 text-warn">{warning}</p>}
    </div>
  );
}

const isUnknown = ({ solves, seconds: time, usd, way }: ExpectedWay): boolean =>
  solves === null && time === null && (usd === null || way === 'local');

function textOf({ way, solves, seconds: time, usd }: ExpectedWay, currency: Currency | null): string {
  const where = t(`composer.where.${way}`);
  const cost =
    usd === null || way === 'local' ? (time === null ? null : shortTime(time.value)) : shortMoney(usd.value, currency);
  if (solves === null) return cost === null ? t('expected.unknown', { where }) : t('expected.cost', { where, cost });
  const [value, low, high] = [tenths(solves.value), tenths(solves.low), tenths(solves.high)];
  return cost === null
    ? t('expected.solves', { where, value, low, high })
    : t('expected.both', { where, value, low, high, cost });
}

/** The whole record: what it was counted from, and how far time and price may lie apart. */
function aboutOf({ solves, seconds: time, usd, isGuess }: ExpectedWay, currency: Currency | null): string {
  const price = usd === null ? null : inBoth({ currency, dollars: money }, (show) => span(usd, show));
  return [
    solves === null
      ? t('expected.notCounted')
      : t('expected.counted', { solved: Math.round(solves.solved), tasks: Math.round(solves.tasks) }),
    ...(time === null ? [] : [t('expected.time', { span: span(time, timeText) })]),
    ...(price === null ? [] : [t(isGuess ? 'expected.guess' : 'expected.usd', { span: price })]),
  ].join(' ');
}

const timeText = (value: number): string => seconds(value * 1000);
const shortTime = (value: number): string =>
  value < 90
    ? t('expected.seconds', { count: Math.round(value) })
    : t('expected.minutes', { count: Math.round(value / 60) });
const roundMoney = (usd: number | null): string => (usd === null ? money(null) : roundMoneyText(usd));
const shortMoney = (value: number, currency: Currency | null): string =>
  inBoth({ currency, dollars: roundMoney }, (show) => show(aboutUsd(value)));
const tenths = (value: number): number => Math.round(value * 10);
