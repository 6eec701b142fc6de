import { useQuery } from '@tanstack/react-query';
import type { SuggestedModel } from '@shared/models/model-suggestion.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useTakeOver, useTakeOvers } from '../../lib/models/take-over.ts';
import { bytes, sightText, tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { UseModel } from './use-model.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TakeOverState } from '../../ui/notices/take-over-state.tsx';

interface SuggestedModelsProps {
  readonly usedId: unknown;
  readonly onUse: (id: string) => void;
}

/**
 * The catalog's suggestions for this machine. A download runs in the background, and the model is used once it has
 * passed its test.
 */
export function SuggestedModels({ usedId, onUse }: SuggestedModelsProps) {
  const client = useClient();
  const found = useQuery({
    queryKey: ['models', 'suggested'],
    queryFn: ({ signal }) => client.models.suggest({}, { signal }),
  });
  const models = found.data?.models ?? [];
  return (
    <section aria-label={t('suggest.title')}>
      <h2 className="mb-2 text-xs font-semibold text-soft">{t('suggest.title')}</h2>
      {found.isPending && <Empty>{t('suggest.loading')}</Empty>}
      {found.error !== null && (
        <Problem text={`${t('suggest.failed')} ${failureText(found.error)}`} onRetry={found.refetch} />
      )}
      {found.data !== undefined && models.length === 0 && <p className="text-sm text-soft">{t('suggest.none')}</p>}
      <ul className="divide-y divide-line rounded-xl border border-line empty:hidden">
        {models.map((model) => (
          <Suggestion
            key={model.source}
            model={model}
            isQuickest={isQuickest(model, models)}
            isUsed={model.readyAs === usedId}
            onUse={onUse}
          />
        ))}
      </ul>
    </section>
  );
}

/** False only if another one is known to be quicker here. */
function isQuickest({ decodePerSecond: own }: SuggestedModel, all: readonly SuggestedModel[]): boolean {
  return own === null || all.every(({ decodePerSecond: other }) => other === null || other <= own);
}

interface SuggestionProps {
  readonly model: SuggestedModel;
  readonly isQuickest: boolean;
  readonly isUsed: boolean;
  readonly onUse: (id: string) => void;
}

function Suggestion({ model, isQuickest: isLabelTrue, isUsed, onUse }: SuggestionProps) {
  const { role, label, quantization, source, readyAs, limits } = model;
  const name = seenName(label);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 p-4" data-suggested={source}>
      <div className="min-w-0 flex-1 basis-60">
        <p className="text-xs font-semibold text-soft">
          {t(role === 'quick' && !isLabelTrue ? 'suggest.small' : `suggest.${role}`)}
        </p>
        <p className="font-semibold wrap-anywhere" title={seenName(`${source} · ${quantization}`)}>
          {name}
        </p>
        <p className="mt-1 text-sm">{seenWords(model.why)}</p>
        {limits.map((limit) => (
          <p key={limit} className="mt-1 text-xs text-warn wrap-anywhere">
            {seenWords(limit)}
          </p>
        ))}
        <p className="mt-1 text-xs text-soft tabular-nums">{factsOf(model)}</p>
        <Details model={model} />
      </div>
      <Action {...{ model, isUsed, onUse }} key={readyAs ?? source} />
    </li>
  );
}

/** How much it is and how quick: what a person weighs first. */
function factsOf({ sizeBytes, isSizeExact, projector, decodePerSecond }: SuggestedModel): string {
  const size = about(bytes(sizeBytes ?? 0), isSizeExact);
  return t('suggest.facts', {
    size: projector === undefined ? size : t('projector.sized', { size, sight: sightText(projector.bytes) }),
    speed:
      decodePerSecond === null
        ? t('suggest.writesUnknown')
        : t('suggest.writes', { count: Math.max(1, Math.round(decodePerSecond)) }),
  });
}

function about(value: string, isExact: boolean): string {
  return isExact ? value : t('suggest.about', { value });
}

function Details({ model }: { readonly model: SuggestedModel }) {
  const { contextTokens, isContextPlanned, license, decodePerSecond, scores, notes } = model;
  const context = t('suggest.context', {
    context: about(tokens(contextTokens), isContextPlanned),
    license: license === null ? t('suggest.licenseUnknown') : seenName(license),
  });
  const measured = scores.map(({ bench, value, by }) =>
    t('suggest.score', { bench, value, by: t(`suggest.by.${by}`) }),
  );
  const lines = [context, ...(decodePerSecond === null ? [t('suggest.measure')] : []), ...measured, ...notes];
  return (
    <Fold label={t('suggest.details')} className="mt-1 text-xs">
      <ul className="mt-1 ml-4.5 flex flex-col gap-1 text-xs text-soft wrap-anywhere">
        {lines.map((line) => (
          <li key={line}>{seenWords(line)}</li>
        ))}
      </ul>
    </Fold>
  );
}

function Action({ model: { model, label, source, readyAs }, isUsed, onUse }: Omit<SuggestionProps, 'isQuickest'>) {
  const state = useTakeOvers().get(model);
  const takeOver = useTakeOver();
  // What is got here becomes the model of the settings, which such a page cannot change.
  const isRefused = useIsCommandRefused('settings.set');
  if (isUsed) return <span className="text-xs font-semibold">{t('models.usedLocal')}</span>;
  if (isRefused) return null;
  return (
    <div className="flex max-w-xs flex-col items-start gap-2">
      {state !== undefined && <TakeOverState state={state} />}
      {readyAs === null ? (
        <DownloadControl
          id={source}
          label={t('suggest.get', { model: seenName(label) })}
          onHere={() => takeOver(model)}
        />
      ) : (
        state?.state !== 'testing' && <UseModel onUse={() => onUse(readyAs)} />
      )}
    </div>
  );
}
