import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { SuggestedModel } from '@shared/models/model-suggestion.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useModelDownloads } from '../../lib/models/model-downloads.ts';
import { useTakeOver, useTakeOvers } from '../../lib/models/take-over.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { bytes, sightText } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TakeOverState } from '../../ui/notices/take-over-state.tsx';

interface FirstModelProps {
  /** The model in the settings. */
  readonly id: string;
  /** Null: no provider knows it. */
  readonly model: ModelEntry | null;
}

/** One button: use a model that is already here, or download the small one. A better one is offered afterwards. */
export function FirstModel({ id, model }: FirstModelProps) {
  const models = useModels().data ?? [];
  const better = useBetterModel(model);
  const isDownloading = useModelDownloads().has(id);
  const isRefused = useIsCommandRefused('settings.set');
  if (model === null) return <p className="text-sm">{t('first.model.none', { id: seenName(id) })}</p>;
  if (model.state === 'ready') {
    return (
      <>
        <p className="flex items-center gap-2 text-sm">
          <Icon name="check" className="size-4" /> {t('first.model.ready', { label: seenName(model.label) })}
        </p>
        {better !== null && <Offer better={better} model={model} />}
      </>
    );
  }
  const other = models.find(({ where, state }) => where === 'local' && state === 'ready') ?? null;
  if (other !== null && !isDownloading && !isRefused) return <ModelThatIsHere other={other} starter={model} />;
  return <Starter model={model} />;
}

/**
 * The best model for this machine, if it is larger than the current one and not downloaded yet. Null where the page
 * cannot make it the model of the settings.
 */
function useBetterModel(model: ModelEntry | null): SuggestedModel | null {
  const client = useClient();
  const suggested = useQuery({
    queryKey: ['models', 'suggested'],
    queryFn: ({ signal }) => client.models.suggest({}, { signal }),
  });
  const isRefused = useIsCommandRefused('settings.set');
  const best = suggested.data?.models[0] ?? null;
  if (isRefused || best === null || best.readyAs !== null || best.sizeBytes === null) return null;
  return best.sizeBytes > (model?.sizeBytes ?? 0) ? best : null;
}

function Starter({ model }: { readonly model: ModelEntry }) {
  const navigate = useNavigate();
  const hasFailed = typeof useModelDownloads().get(model.id)?.problem === 'string';
  const size = model.sizeBytes === null ? '?' : bytes(model.sizeBytes);
  return (
    <div className="flex flex-col items-start gap-3">
      <DownloadControl id={model.id} label={t('first.model.get', { size })} isFirst />
      {hasFailed && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          {t('first.model.without')}
          <Button size="small" onClick={() => navigate({ type: 'models' })}>
            {t('hint.models')}
          </Button>
        </p>
      )}
      <p className="text-sm text-soft">{t('first.model.about', { label: seenName(model.label) })}</p>
    </div>
  );
}

interface OfferProps {
  readonly better: SuggestedModel;
  /** The model that is here. */
  readonly model: ModelEntry;
}

/** A larger model is offered when it is known how quick it would be here, so the model that is here is measured first. */
function Offer({ better, model }: OfferProps) {
  const isMeasured = better.decodePerSecond !== null || model.card !== undefined;
  return isMeasured ? <BetterModel better={better} /> : <Measure model={model} />;
}

function Measure({ model }: { readonly model: ModelEntry }) {
  const client = useClient();
  const queries = useQueryClient();
  const [isMeasuring, setIsMeasuring] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const measure = async (): Promise<void> => {
    setIsMeasuring(true);
    setProblem(null);
    try {
      for await (const { card } of await client.models.probe({ id: model.id })) void card;
      await queries.invalidateQueries({ queryKey: ['models'] });
    } catch (error) {
      setProblem(failureText(error));
    }
    setIsMeasuring(false);
  };
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <p className="text-soft">
        {!isMeasuring && t('first.measure.text')}
        {/* An offer that appears by itself interrupts no one: only what the click begins is announced. */}
        <span aria-live="polite">{isMeasuring && t('first.measuring')}</span>
      </p>
      {!isMeasuring && (
        <Button size="small" onClick={() => void measure()}>
          {t('first.measure')}
        </Button>
      )}
      {problem !== null && <Problem text={problem} />}
    </div>
  );
}

function BetterModel({ better }: { readonly better: SuggestedModel }) {
  const state = useTakeOvers().get(better.model);
  const isDownloading = useModelDownloads().has(better.source);
  const takeOver = useTakeOver();
  const { decodePerSecond } = better;
  const name = { label: seenName(better.label), size: sizeOf(better) };
  const speed =
    decodePerSecond === null
      ? t('first.better.quick')
      : t('first.better.speed', { count: Math.max(1, Math.round(decodePerSecond)) });
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <p className="text-soft">
        {t(isDownloading ? 'first.better.coming' : 'first.better.offer', name)} {!isDownloading && speed}
      </p>
      {state !== undefined && <TakeOverState state={state} />}
      {state === undefined && (
        <DownloadControl
          id={better.source}
          label={t('suggest.get', { model: name.label })}
          onHere={() => takeOver(better.model)}
        />
      )}
    </div>
  );
}

/** No download is needed: Ollama or another server has a model. */
function ModelThatIsHere({ other, starter }: { readonly other: ModelEntry; readonly starter: ModelEntry }) {
  const client = useClient();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const use = async (): Promise<void> => {
    setProblem(null);
    try {
      await client.settings.set({ key: 'local', value: other.id });
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    }
  };
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <Button look="primary" className="max-w-full" onClick={() => void use()}>
        <span className="truncate">{t('first.model.use', { label: seenName(other.label) })}</span>
      </Button>
      <p className="text-soft">{t('first.model.here')}</p>
      {problem !== null && <Problem text={problem} />}
      <DownloadControl
        id={starter.id}
        label={t('first.model.instead', {
          label: seenName(starter.label),
          size: starter.sizeBytes === null ? '?' : bytes(starter.sizeBytes),
        })}
      />
    </div>
  );
}

function sizeOf({ sizeBytes, isSizeExact, projector }: SuggestedModel): string {
  const size = isSizeExact ? bytes(sizeBytes ?? 0) : t('suggest.about', { value: bytes(sizeBytes ?? 0) });
  return projector === undefined ? size : t('projector.sized', { size, sight: sightText(projector.bytes) });
}
