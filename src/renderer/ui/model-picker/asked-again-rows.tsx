import { type AskedAgain, type CallAnswer, sumsOfAskedAgain } from '@shared/comparisons/asked-again.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { seconds, tokens } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { t } from '../../lib/text/translate.ts';
import { Facts, Section } from '../layout/facts.tsx';

const agreements = {
  target: 'again.same',
  tool: 'again.otherTarget',
  words: 'again.wordsToo',
  other: 'again.differs',
} as const;

/** What two models did with the same requests, a row each, and what both took. */
export function AskedAgainRows({ rows }: { readonly rows: readonly AskedAgain[] }) {
  return (
    <>
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
          {rows.map(({ step, before, again }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a step may have several calls, and the list only grows
            <tr key={at} className="border-t border-line align-top wrap-anywhere">
              <td className="py-1 pr-3 tabular-nums">{step}</td>
              <td className="py-1 pr-3">{didText(before)}</td>
              <td className="py-1 pr-3">
                {again.type === 'answered' ? didText(again) : t('again.notAsked', { why: seenWords(again.why) })}
              </td>
              <td className="py-1">{again.type === 'answered' && t(agreements[again.agreement])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Totals sums={sumsOfAskedAgain([rows])} />
    </>
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
