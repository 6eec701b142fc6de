import { useState } from 'react';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface ProbeCardProps {
  readonly model: ModelEntry;
  readonly onDone: () => void;
}

/** What a probe found about a model, and a button to probe it (again). Leaving the view does not stop a probe. */
export function ProbeCard({ model, onDone }: ProbeCardProps) {
  const client = useClient();
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { card } = model;
  const probe = async (): Promise<void> => {
    setProblem(null);
    setSaid('');
    try {
      for await (const { text } of await client.models.probe({ id: model.id })) if (text !== '') setSaid(text);
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
    setSaid(null);
  };
  return (
    <div
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft ${card === undefined ? '' : 'w-full'}`}
    >
      {card !== undefined && <p className="min-w-0 flex-1 basis-60">{factsOf(card).join(' · ')}</p>}
      {said === null ? (
        <Button size="small" className="text-ink" onClick={() => void probe()}>
          {t(card === undefined ? 'models.probe' : 'models.probeAgain')}
        </Button>
      ) : (
        <output>
          {t('models.probing')} {said}
        </output>
      )}
      {problem !== null && <Problem text={problem} />}
    </div>
  );
}

function factsOf({ callStyle, strategies, speeds, needle, edit, drafts }: KeptCard): readonly string[] {
  const fastest = speeds.at(-1);
  const read = fastest?.prefillPerSecond ?? null;
  const write = fastest?.decodePerSecond ?? null;
  return [
    t(`models.calls.${callStyle ?? 'none'}`),
    t(`models.edit.${edit ?? 'none'}`),
    strategies.length === 0 ? t('models.noStrategy') : t('models.strategies', { strategies: strategies.join(', ') }),
    read === null || write === null ? null : t('models.speed', { read, write }),
    needle === null
      ? null
      : t(needle.isFound ? 'models.found' : 'models.notFound', { count: tokens(needle.promptTokens) }),
    drafts === undefined ? null : draftsText(drafts),
  ].filter((fact) => fact !== null);
}

function draftsText({ best, ways }: NonNullable<KeptCard['drafts']>): string {
  const percent = ways.find(({ way }) => way === best)?.quicker ?? 0;
  if (best === null) return t('models.drafts.off');
  if (best === 'lookup') return t('models.drafts.lookup', { percent });
  return best === 'mtp'
    ? t('models.drafts.mtp', { percent })
    : t('models.drafts.by', { model: seenName(best), percent });
}
