import { useQuery } from '@tanstack/react-query';
import {
  type AskedAgain as Row,
  type AskedSession,
  type CallAnswer,
  sumsOfAskedAgain,
} from '@shared/comparisons/asked-again.ts';
import type { Failure } from '@shared/errors.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { seconds, tokens } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { t } from '../../lib/text/translate.ts';
import { Facts, Section } from '../layout/facts.tsx';
import { Problem } from '../notices/problem.tsx';

const agreements = {
  target: 'again.same',
  tool: 'again.otherTarget',
  words: 'again.wordsToo',
  other: 'again.differs',
} as const;

interface AskedAgainProps {
  readonly asked: readonly AskedSession[];
  /** Several sessions were chosen, so each has a row. */
  readonly isMany: boolean;
}

/** What two models did with the same requests, and what both took. Several sessions have a row each. */
export function AskedAgain({ asked, isMany }: AskedAgainProps) {
  if (asked.length === 0) return null;
  return (
    <>
      {isMany ? <SessionRows asked={asked} /> : asked.map((one) => <OneSession key={one.sessionId} asked={one} />)}
      <Totals sums={sumsOfAskedAgain(asked.map(({ rows }) => rows))} />
    </>
  );
}

function OneSession({ asked: { rows, failure } }: { readonly asked: AskedSession }) {
  return (
    <>
      {rows.length > 0 && <CallRows rows={rows} />}
      {failure !== null && <Problem text={failureLine(failure)} />}
    </>
  );
}

const failureLine = ({ message, hint }: Failure): string =>
  printable(hint === undefined ? message : `${message} ${hint}`);

function SessionRows({ asked }: { readonly asked: readonly AskedSession[] }) {
  const client = useClient();
  const { both } = useMoney();
  const { data } = useQuery({
    queryKey: ['session-titles'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
  });
  const titles = new Map(data?.map(({ sessionId, title }) => [sessionId, title]));
  return (
    <table aria-label={t('again.bySession')} className="w-full text-left text-sm">
      <thead className="text-soft">
        <tr>
          {(['again.session', 'again.asked', 'again.sameTarget', 'again.before', 'again.again'] as const).map((key) => (
            <th key={key} scope="col" className="py-1 pr-3 font-semibold">
              {t(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {asked.map(({ sessionId, rows, failure, isCut }) => {
          const sums = sumsOfAskedAgain([rows]);
          const why = failure === null ? reasonsOf(rows) : [failureLine(failure)];
          return (
            <tr key={sessionId} className="border-t border-line align-top wrap-anywhere">
              <th scope="row" className="py-1 pr-3 font-normal">
                {seenWords(titles.get(sessionId) ?? '') || sessionId}
                {why.map((one) => (
                  <span key={one} className="block text-xs text-soft">
                    {t('again.notAsked', { why: one })}
                  </span>
                ))}
              </th>
              <td className="py-1 pr-3 tabular-nums">
                {t('again.of', { hits: sums.asked, count: rows.length })}
                {isCut && <span className="block text-xs text-warn">{t('again.cut')}</span>}
              </td>
              <td className="py-1 pr-3 tabular-nums">
                {sums.withTool === 0 ? '–' : t('again.of', { hits: sums.sameTarget, count: sums.withTool })}
              </td>
              <td className="py-1 pr-3 tabular-nums">{sums.asked === 0 ? '–' : both(sums.before.costUsd)}</td>
              <td className="py-1 tabular-nums">{sums.asked === 0 ? '–' : both(sums.again.costUsd)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Why calls were not asked, each reason once. */
function reasonsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap(({ again }) => (again.type === 'not-asked' ? [seenWords(again.why)] : [])))];
}

/** What two models did with the requests of one session, a row each. */
function CallRows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <table aria-label={t('again.agreement')} className="w-full text-left text-sm">
      <thead className="text-soft">
        <tr>
          {(['again.step.head', 'again.before', 'again.again', 'again.agreement'] as const).map((key) => (
            <th key={key} scope="col" className="py-1 pr-3 font-semibold">
              {t(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ step, before, again, isKept }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a step may have several calls, and the list only grows
          <tr key={at} className="border-t border-line align-top wrap-anywhere">
            <td className="py-1 pr-3 tabular-nums">{step}</td>
            <td className="py-1 pr-3">{didText(before)}</td>
            <td className="py-1 pr-3">
              {again.type === 'answered' ? didText(again) : t('again.notAsked', { why: seenWords(again.why) })}
            </td>
            <td className="py-1">
              {again.type === 'answered' && t(agreements[again.agreement])}
              {isKept === true && <span className="block text-xs text-soft">{t('again.kept')}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Sums = ReturnType<typeof sumsOfAskedAgain>;

function Totals({ sums }: { readonly sums: Sums }) {
  const { asked, withTool, sameTool, sameTarget, toolShare, targetShare, lostUsd, before, again } = sums;
  const { both } = useMoney();
  if (asked === 0 && lostUsd === 0) return null;
  return (
    <Section title={t('again.sums')}>
      <Facts
        facts={[
          [t('again.sameTool'), withTool === 0 ? null : shareText(sameTool, withTool, toolShare)],
          [t('again.sameTarget'), withTool === 0 ? null : shareText(sameTarget, withTool, targetShare)],
          [t('again.before'), asked === 0 ? null : tookText(before, both)],
          [t('again.again'), asked === 0 ? null : tookText(again, both)],
          [t('again.lost'), lostUsd === 0 ? null : both(lostUsd)],
        ]}
      />
    </Section>
  );
}

function shareText(hits: number, count: number, share: Sums['toolShare']): string {
  if (share === null || count < 2) return t('again.of', { hits, count });
  return t('again.ofRange', { hits, count, low: Math.round(share.low * 100), high: Math.round(share.high * 100) });
}

const tookText = (
  { promptTokens, outputTokens, seconds: took, costUsd }: Sums['before'],
  both: (usd: number | null) => string,
): string =>
  [
    t('again.tokens', { read: tokens(promptTokens), written: tokens(outputTokens) }),
    seconds(took * 1000),
    both(costUsd),
  ].join(' · ');

function didText({ tool, target }: Pick<CallAnswer, 'tool' | 'target'>): string {
  if (tool === null) return t('again.words');
  const words = seenWords(target ?? '');
  return `${seenName(tool)} ${words.length > 60 ? `${words.slice(0, 60)}…` : words}`.trim();
}
