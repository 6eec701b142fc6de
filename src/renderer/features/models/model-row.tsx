import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { bytes, tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { OwnPriceMark } from '../../ui/figures/own-price-mark.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { RouteDot } from '../../ui/figures/route-dot.tsx';
import { DrivingForm } from './driving-form.tsx';
import { PriceForm } from './price-form.tsx';
import { ProbeCard } from './probe-card.tsx';
import { UseModel } from './use-model.tsx';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { RemoveModel } from './remove-model.tsx';
import { ModelSeesPictures } from './sees-pictures.tsx';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useMemoryPlan } from '../../lib/models/use-memory-plan.ts';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface ModelRowProps {
  readonly model: ModelEntry;
  /** The settings use it for its place. */
  readonly isUsed: boolean;
  readonly onUse: () => void;
  readonly onChanged: () => void;
}

export function ModelRow({ model, isUsed, onUse, onChanged }: ModelRowProps) {
  return (
    <li
      className="grid grid-cols-[auto_1fr] items-start gap-x-3 gap-y-2 p-4 sm:grid-cols-[auto_1fr_auto]"
      data-model={model.id}
    >
      <span className="mt-1.5">
        <RouteDot where={model.where} />
      </span>
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{seenName(model.label)}</p>
        <p
          className="font-mono text-xs text-soft wrap-anywhere"
          title={model.headerFrom && t('models.headerFrom', { sources: model.headerFrom.join('; ') })}
        >
          {seenName(model.id)}
        </p>
        <p className="mt-1 text-xs text-soft">
          {factsOf(model).join(' · ')}
          <OwnPriceMark model={model.id} />
        </p>
        {model.note !== null && <p className="text-xs text-soft wrap-anywhere">{model.note}</p>}
        {model.advice?.map(({ kind, text }) => (
          <Notice key={kind} kind={kind === 'broken' ? 'error' : 'warning'} className="mt-2" isQuiet>
            <TextWithCode text={seenWords(text)} />
          </Notice>
        ))}
        {model.state === 'unreachable' && <p className="mt-1 text-xs text-soft">{t('models.unreachable.text')}</p>}
      </div>
      <div className="flex items-center gap-2 max-sm:col-start-2 max-sm:flex-wrap sm:flex-col sm:items-end">
        {model.state === 'unreachable' && (
          <span className="text-xs font-semibold text-bad">{t('models.unreachable')}</span>
        )}
        {model.state === 'downloadable' && <DownloadControl id={model.id} />}
        {isUsed && (
          <span className="text-xs font-semibold">
            {t(model.where === 'local' ? 'models.usedLocal' : 'models.usedCloud')}
          </span>
        )}
        {model.state === 'ready' && !isUsed && <UseModel onUse={onUse} />}
        <StartServer model={model} onDone={onChanged} />
        <RemoveModel model={model} onDone={onChanged} />
      </div>
      <div className="col-span-full col-start-2 flex flex-wrap items-center gap-x-2 gap-y-1 empty:hidden">
        {model.where === 'local' && model.state === 'downloadable' && <ModelFit id={model.id} />}
        {model.where === 'cloud' && model.state === 'ready' && <PriceForm model={model} />}
        {model.state === 'ready' && <ProbeCard model={model} onDone={onChanged} />}
        {model.state === 'ready' && <DrivingForm model={model} />}
        {model.state === 'ready' && <ModelSeesPictures model={model} />}
      </div>
    </li>
  );
}

function factsOf({ state, sizeBytes, license, info, where }: ModelEntry): readonly string[] {
  const price = info?.price ?? null;
  const parameters = info?.parametersB ?? null;
  const priceText =
    price === null ? t('models.unpriced') : t('models.price', { input: `$${price.input}`, output: `$${price.output}` });
  return [
    state === 'unreachable' ? null : t(`models.${state}`),
    sizeBytes === null ? null : bytes(sizeBytes),
    info === null ? null : t('models.context', { count: tokens(info.contextTokens) }),
    parameters === null ? null : t('models.parameters', { count: parameters }),
    info === null || where === 'local' ? null : priceText,
    license,
  ].filter((fact) => fact !== null);
}

/**
 * Whether a model would fit on this machine, on each card, before it is downloaded. Uses the catalog and sends no
 * request.
 */
export function ModelFit({ id }: { readonly id: string }) {
  const plan = useMemoryPlan(id);
  if (plan.isPending) return <p className="text-xs text-soft">{t('models.fitLooking')}</p>;
  if (plan.error !== null) return <p className="text-xs text-soft">{failureText(plan.error)}</p>;
  const { granted, why, totalBytes } = plan.data;
  if (totalBytes === null) return <p className="text-xs text-soft">{why ?? t('models.fitUnknown')}</p>;
  return (
    <Fold
      label={t('models.fitGranted', { memory: bytes(totalBytes), context: tokens(granted.context) })}
      className="text-xs"
    >
      <div className="mt-1 ml-4.5 text-xs text-soft">
        <p>{granted.reason}</p>
        <ul>
          {granted.devices.map((device) => (
            <li key={device.name}>
              {t('models.fitCard', {
                card: device.name,
                layers: device.layers,
                used: bytes(device.bytes),
                all: bytes(device.budgetBytes),
              })}
            </li>
          ))}
        </ul>
      </div>
    </Fold>
  );
}

interface StartServerProps {
  readonly model: ModelEntry;
  readonly onDone: () => void;
}

/** Lets the user allow Dewpoint to start an installed server. The server stops with Dewpoint. */
export function StartServer({ model, onDone }: StartServerProps) {
  const client = useClient();
  const isRefused = useIsCommandRefused('settings.set');
  const [problem, setProblem] = useState<string | null>(null);
  if (model.canStart !== true || isRefused) return null;
  const start = async (): Promise<void> => {
    setProblem(null);
    try {
      const key = `providers.${model.id.split('/')[0] ?? ''}`;
      const own = await client.settings.get({ key });
      const before = typeof own === 'object' && own !== null ? own : { kind: 'ollama' };
      await client.settings.set({ key, value: { ...before, start: true } });
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      <Button size="small" onClick={() => void start()}>
        {t('models.start')}
      </Button>
    </>
  );
}
