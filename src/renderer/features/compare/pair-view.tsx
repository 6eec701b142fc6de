import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import type { Comparison, RunPair, Verdict } from '@shared/comparisons/comparison.ts';
import { isSamePair, pairsForYou, pairsToJudge, runOf } from '@shared/comparisons/pair-verdicts.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { seconds } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Markdown } from '../../ui/content/markdown.tsx';
import { DiffView } from '../../ui/content/diff-view.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Empty, Section } from '../../ui/layout/facts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { WayName } from './way-mark.tsx';

interface PairViewProps {
  readonly comparison: Comparison;
  readonly onJudged: (comparison: Comparison) => void;
}

const keyOf = ({ task, repeat, left, right }: RunPair): string => JSON.stringify([task, repeat, left, right]);

/**
 * Two answers and their changes beside each other. While you judge, nothing says which way made which, and each pair has
 * an order of its own.
 */
export function PairView({ comparison, onJudged }: PairViewProps) {
  const all = pairsToJudge(comparison);
  const open = pairsForYou(comparison);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isBlind, setIsBlind] = useState(false);
  const next = open[0] ?? all[0];
  const pair = all.find((one) => keyOf(one) === chosen) ?? next;
  if (pair === undefined) return null;
  return (
    <Section title={t('compare.pairs')}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          {isBlind ? (
            <p className="flex-1 text-sm text-soft">{plural('compare.toJudge', open.length)}</p>
          ) : (
            <PairChoice comparison={comparison} all={all} pair={pair} onChoose={setChosen} />
          )}
          <Button onClick={() => setIsBlind(!isBlind)} look={open.length > 0 && !isBlind ? 'primary' : 'plain'}>
            {isBlind ? t('compare.showNames') : t('compare.judgeNow')}
          </Button>
        </div>
        <Beside
          key={keyOf(pair)}
          comparison={comparison}
          pair={pair}
          isBlind={isBlind}
          onJudged={(changed) => {
            setChosen(keyOf(pairsForYou(changed)[0] ?? pair));
            if (pairsForYou(changed).length === 0) setIsBlind(false);
            onJudged(changed);
          }}
        />
      </div>
    </Section>
  );
}

interface PairChoiceProps {
  readonly comparison: Comparison;
  readonly all: readonly RunPair[];
  readonly pair: RunPair;
  readonly onChoose: (key: string) => void;
}

function PairChoice({ comparison: { input }, all, pair, onChoose }: PairChoiceProps) {
  const taskName = (task: number): string => seenName(input.tasks[task]?.name ?? '');
  return (
    <Select
      className="min-w-48 flex-1"
      aria-label={t('compare.pair')}
      value={keyOf(pair)}
      onChange={({ target }) => onChoose(target.value)}
    >
      {all.map((one) => (
        <option key={keyOf(one)} value={keyOf(one)}>
          {t(input.tasks.length === 1 ? 'compare.pairOf' : 'compare.pairOfTask', {
            task: taskName(one.task),
            left: seenName(one.left),
            right: seenName(one.right),
            repeat: one.repeat,
          })}
        </option>
      ))}
    </Select>
  );
}

const verdicts = [
  { key: 'ArrowLeft', verdict: 'left' },
  { key: 'ArrowDown', verdict: 'same' },
  { key: 'ArrowUp', verdict: 'both-bad' },
  { key: 'ArrowRight', verdict: 'right' },
] as const;

interface BesideProps extends PairViewProps {
  readonly pair: RunPair;
  readonly isBlind: boolean;
}

function Beside({ comparison, pair, isBlind, onJudged }: BesideProps) {
  const client = useClient();
  // Drawn once for each pair, so that neither a place nor a pattern tells which way it is.
  const [isDrawn] = useState(() => Math.random() < 0.5);
  const [problem, setProblem] = useState<string | null>(null);
  const isTurned = isBlind && isDrawn;
  const sides = isTurned ? ([pair.right, pair.left] as const) : ([pair.left, pair.right] as const);
  const judge = async (seen: Verdict): Promise<void> => {
    const turned = { left: 'right', right: 'left', same: 'same', 'both-bad': 'both-bad' } as const;
    try {
      const verdict = isTurned ? turned[seen] : seen;
      onJudged(await client.comparisons.judge({ id: comparison.id, pair, verdict }));
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  // Answers that are drawn can be judged at once.
  useLayoutEffect(() => {
    if (!isBlind) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const found = verdicts.find(({ key }) => key === event.key);
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      // A key that is held down judges one pair, not all.
      if (found === undefined || isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      void judge(found.verdict);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  const said = comparison.judgements.findLast((one) => isSamePair(one, pair) && one.verdict !== null);
  return (
    <>
      <p className="text-sm whitespace-pre-wrap wrap-anywhere text-soft">{comparison.input.tasks[pair.task]?.text}</p>
      {problem !== null && <Problem text={problem} />}
      <div className="grid gap-3 md:grid-cols-2">
        {sides.map((way, index) => (
          <Side
            key={way}
            title={isBlind ? t(index === 0 ? 'compare.leftAnswer' : 'compare.rightAnswer') : seenName(way)}
            comparison={comparison}
            pair={pair}
            way={way}
            isBlind={isBlind}
          />
        ))}
      </div>
      {isBlind ? (
        <div className="sticky bottom-0 flex flex-wrap justify-center gap-2 border-t border-line bg-paper py-2">
          {verdicts.map(({ verdict }) => (
            <Button key={verdict} onClick={() => void judge(verdict)}>
              {t(`compare.verdict.${verdict}`)}
            </Button>
          ))}
        </div>
      ) : (
        said !== undefined && <p className="text-sm text-soft">{verdictText(said)}</p>
      )}
    </>
  );
}

function verdictText({ verdict, left, right, by, why }: Comparison['judgements'][number]): string {
  const better = verdict === 'left' ? left : right;
  const what =
    verdict === 'same' || verdict === 'both-bad'
      ? t(`compare.said.${verdict}`)
      : t('compare.said.better', { way: seenName(better) });
  return [t(`compare.by.${by}`), what, seenName(why)].filter((part) => part !== '').join(' ');
}

interface SideProps {
  readonly title: string;
  readonly comparison: Comparison;
  readonly pair: RunPair;
  readonly way: string;
  readonly isBlind: boolean;
}

function Side({ title, comparison, pair, way, isBlind }: SideProps) {
  const client = useClient();
  const run = runOf(comparison, { ...pair, way });
  const sessionId = run?.sessionId ?? '';
  const { data, error } = useQuery({
    queryKey: ['comparison-answer', sessionId],
    queryFn: async ({ signal }) => ({
      answer: (await client.sessions.result({ sessionId }, { signal })).text,
      changes: await client.changes.show({ sessionId }, { signal }),
    }),
    enabled: sessionId !== '',
  });
  const figures = run?.figures ?? null;
  const { both } = useMoney();
  return (
    <section
      aria-label={isBlind ? title : t('compare.answerOf', { way: title })}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3"
    >
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-2 font-semibold">
        <span className="min-w-0 wrap-anywhere">{isBlind ? title : <WayName way={way} />}</span>
        {!isBlind && figures !== null && (
          <span className="shrink-0 text-xs font-normal whitespace-nowrap text-soft tabular-nums">
            {seconds(figures.seconds * 1000)} · {both(figures.costUsd)}
          </span>
        )}
      </h3>
      {error !== null && <Problem text={failureText(error)} />}
      {data === undefined && error === null && <Empty>{t('compare.loadingAnswer')}</Empty>}
      {data !== undefined && data.answer.trim() === '' && data.changes.length === 0 && (
        <Empty>{t('compare.noAnswer')}</Empty>
      )}
      {data !== undefined && <Markdown text={data.answer} />}
      {data?.changes.map(({ path, diff }) => (
        <details key={path} open className="min-w-0">
          <summary className="font-mono text-xs break-all">{seenName(path)}</summary>
          {diff === null ? (
            <p className="text-sm text-soft">{t('compare.noDiff')}</p>
          ) : (
            <div className="max-h-96 overflow-auto">
              <DiffView diff={diff} />
            </div>
          )}
        </details>
      ))}
    </section>
  );
}
