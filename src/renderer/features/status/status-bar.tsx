import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { memo, useMemo, useState, useSyncExternalStore } from 'react';
import { counterfactualOfTurns } from '@shared/money/turn-counterfactual.ts';
import { sessionWork } from '@shared/money/workload.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import { spendingLimitOf } from '@shared/money/spending-limit.ts';
import type { SessionState, StepEnd, StepState } from '@shared/session/session-state.ts';
import { sessionStatus } from '@shared/session/session-state.ts';
import { decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { money as dollars, span, speed } from '../../lib/text/format.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { InspectorTab } from '../../lib/window/preferences.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useCloudReference } from '../../lib/models/use-cloud-reference.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import { limitText } from '../../lib/text/limit-text.ts';
import type { NextModel } from '../../lib/models/use-next-model.ts';
import { useNextModel } from '../../lib/models/use-next-model.ts';
import { nextTaskChoice, useSessionChoice } from '../../lib/models/session-choice.ts';
import { useProjectKey } from '../../lib/window/use-projects.ts';
import { useSharedValue } from '../../lib/window/shared-value.ts';
import { RouteDot } from '../../ui/figures/route-dot.tsx';
import { Dialog } from 'radix-ui';
import { Button } from '../../ui/controls/button.tsx';

interface StatusBarProps {
  /** Null when no session is shown. */
  readonly session: { readonly state: SessionState; readonly money: MoneyState } | null;
  readonly isConnected: boolean;
  readonly onInspect: (tab: InspectorTab) => void;
  readonly onModels: () => void;
}

/** Always visible: the model, its speed, the cost, and where commands run. Each item opens its details. */
export const StatusBar = memo(function StatusBar({ session, isConnected, onInspect, onModels }: StatusBarProps) {
  return (
    <section
      aria-label={t('status.label')}
      className="@container order-2 flex h-7 shrink-0 items-center gap-1 overflow-x-auto border-t border-line bg-side px-2 text-xs whitespace-nowrap text-soft tabular-nums no-scrollbar"
    >
      {!isConnected && <LostConnection look={itemLook} />}
      <Offline onModels={onModels} />
      <Strained />
      {session === null ? (
        <HomeItems onModels={onModels} />
      ) : (
        <SessionItems state={session.state} money={session.money} onInspect={onInspect} />
      )}
    </section>
  );
});

/** No error, because steps run locally. The models view says which models can be reached. */
function Offline({ onModels }: Pick<StatusBarProps, 'onModels'>) {
  if (useIsOnline()) return null;
  return (
    <Item opens={t('status.noNetworkHint')} onClick={onModels}>
      {t('status.noNetwork')}
    </Item>
  );
}

/** Local models hold back because of power, heat or memory. Says why, and links to the setting. */
function Strained() {
  const client = useClient();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['strain'],
    queryFn: ({ signal }) => client.models.strain(undefined, { signal }),
    refetchInterval: strainEveryMs,
  });
  if (data === undefined || data.act === 'usual') return null;
  const causes = data.causes.map((cause) => t(`power.cause.${cause}`)).join(', ');
  return (
    <Item opens={t('power.open')} onClick={() => navigate({ type: 'settings' })}>
      {t(`power.is.${data.act}`, { causes })}
    </Item>
  );
}

const strainEveryMs = 20_000;

/** Shown without a session: the model of the next task, and this month's cost. */
function HomeItems({ onModels }: { readonly onModels: () => void }) {
  const client = useClient();
  const navigate = useNavigate();
  const next = useNextModel(useSharedValue(nextTaskChoice), null);
  const caps = useQuery({
    queryKey: ['settings', 'budget', null],
    queryFn: ({ signal }) => client.budget.show({ projectPath: null }, { signal }),
  });
  const month = caps.data?.find(({ scope }) => scope === 'month');
  const spent = month?.spentUsd ?? null;
  return (
    <>
      {next !== null && (
        <Item opens={t('sessions.models')} onClick={onModels} gives>
          <NextModelName next={next} />
        </Item>
      )}
      <span className="flex-1" />
      {month !== undefined && spent !== null && (
        <Item opens={t('sessions.costs')} onClick={() => navigate({ type: 'costs' })}>
          {month.limitUsd === null
            ? t('status.month', { money: dollars(spent) })
            : t('status.monthOf', { money: dollars(spent), cap: dollars(month.limitUsd) })}
        </Item>
      )}
    </>
  );
}

interface SessionItemsProps {
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly onInspect: (tab: InspectorTab) => void;
}

function SessionItems({ state, money, onInspect }: SessionItemsProps) {
  const step = state.steps.findLast(({ end: its }) => its !== null) ?? state.steps.at(-1);
  const end = step?.end ?? null;
  const modelName = useModelName();
  const [choice] = useSessionChoice(state.sessionId ?? '', state);
  const next = useNextModel(choice, useProjectKey(state));
  const isRunning = sessionStatus(state) === 'running';
  const isOther = next?.picked.type === 'model' && next.picked.id !== step?.model;
  return (
    <>
      <Item tab="route" onClick={() => onInspect('route')} gives>
        {step !== undefined && <RouteDot where={step.where} outcome={isRunning ? 'running' : 'done'} />}
        <span className="truncate" title={step === undefined ? undefined : seenName(step.model)}>
          {step === undefined ? t('status.noModel') : modelText(step, modelName(step.model))}
        </span>
        {next !== null && isOther && <NextModelName next={next} />}
      </Item>
      {end !== null && <Speed end={end} onInspect={onInspect} />}
      <span className="flex-1" />
      <Item tab="cost" onClick={() => onInspect('cost')}>
        {spentText(state, money)}
      </Item>
      <CounterfactualSpend state={state} onInspect={onInspect} />
      <Item tab="sandbox" onClick={() => onInspect('sandbox')}>
        <Tier state={state} />
      </Item>
    </>
  );
}

/** Who answers the next message. */
function NextModelName({ next: { picked, name } }: { readonly next: NextModel }) {
  const id = picked.type === 'model' ? picked.id : null;
  return (
    <span className="truncate" title={id === null ? undefined : seenName(id)}>
      {t('status.nextModel', { model: name })}
    </span>
  );
}

/** The cost so far in the other place alone, with this machine's electricity. Empty when unknown. */
function CounterfactualSpend({ state, onInspect }: Pick<SessionItemsProps, 'state' | 'onInspect'>) {
  const reference = useCloudReference(state);
  const { steps, turns } = state;
  const work = useMemo(() => sessionWork({ steps, turns }), [steps, turns]);
  const { allLocal, allCloud } = useMemo(
    () => counterfactualOfTurns({ steps, turns }, reference),
    [steps, turns, reference],
  );
  const where = work.local.calls > 0 ? 'cloud' : 'local';
  const { usd } = where === 'cloud' ? allCloud : allLocal;
  const { unmeteredCalls, calls, wattHours, estimatedEnergyCalls } = work.local;
  const energy = calls > unmeteredCalls ? `${estimatedEnergyCalls > 0 ? '~' : ''}${wattHours.toFixed(2)}` : null;
  const parts = [
    usd === null || calls + work.cloud.calls === 0
      ? null
      : t(`status.elsewhere.${where}`, { money: span(usd, dollars) }),
    energy === null ? null : t('status.energy', { wh: energy }),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return (
    <Item tab="cost" onClick={() => onInspect('cost')} gives className="@max-4xl:hidden">
      <span title={t('status.elsewhereHint')} className="truncate">
        {parts.join(' · ')}
      </span>
    </Item>
  );
}

interface ItemProps {
  /** The inspector tab that it opens. */
  readonly tab?: InspectorTab;
  /** What it opens, if not a tab. */
  readonly opens?: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
  /** With too little room, this item shrinks first. The Cost tab has the full text. */
  readonly gives?: boolean;
  readonly className?: string;
}

const itemLook =
  'inline-flex h-5 items-center gap-1.5 rounded px-1.5 outline-offset-[-2px] hover:bg-chosen hover:text-ink';

function Item({ tab, opens, onClick, children, gives = false, className = '' }: ItemProps) {
  return (
    <button
      type="button"
      title={tab === undefined ? opens : t('action.inspect', { tab: t(`inspector.${tab}`) })}
      onClick={onClick}
      className={`${itemLook} ${gives ? 'min-w-20' : 'shrink-0'} ${className}`}
    >
      {children}
    </button>
  );
}

function Speed({ end, onInspect }: { readonly end: StepEnd; readonly onInspect: (tab: InspectorTab) => void }) {
  const decode = speed(decodeSpeedOf(end));
  const prefill = speed(prefillSpeedOf(end));
  const prompt = end.usage.freshInput + end.usage.cacheRead + end.usage.cacheWrite;
  const percent = prompt === 0 ? null : Math.round((end.usage.cacheRead / prompt) * 100);
  const parts = [
    prefill === null ? null : t('status.prefill', { speed: prefill }),
    percent === null ? null : t('status.kept', { percent }),
  ].filter((part) => part !== null);
  // Without a speed there is nothing to show here. The Context tab has the rest.
  if (decode === null) return null;
  return (
    <Item tab="context" onClick={() => onInspect('context')}>
      <span title={parts.join(' · ') || undefined}>{decode}</span>
    </Item>
  );
}

/** Adds the device, if the model runs in an engine on this machine. */
function modelText({ end }: StepState, model: string): string {
  const backend = end?.load?.backend;
  if (backend === undefined) return model;
  return t('status.modelOn', { model, device: backend === 'cpu' ? t('status.processor') : backend });
}

function spentText(state: SessionState, money: MoneyState): string {
  const known = dollars(money.costUsd + money.children.costUsd);
  const limit = spendingLimitOf(state);
  const spent = limit === null ? t('status.spent', { money: known }) : limitText(limit);
  const unpriced = money.unpricedCalls + money.children.unpriced;
  return unpriced === 0 ? spent : `${spent} ${plural('status.unpriced', unpriced)}`;
}

function Tier({ state: { sandbox } }: { readonly state: SessionState }) {
  if (sandbox === null) return t('status.noSandbox');
  const tier = t(`sandbox.tier.${sandbox.tier}`);
  return sandbox.lost === null ? tier : <span className="text-bad">{t('status.lost', { tier })}</span>;
}

/**
 * The core cannot be reached: what that means, what was kept and what to do. Part of the first download, because
 * nothing can be loaded then.
 */
export function LostConnection({ look }: { readonly look: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className={`${look} shrink-0 font-semibold text-bad`} title={t('app.lost')}>
        {t('status.offline')}
      </Dialog.Trigger>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-3 overflow-y-auto rounded-xl border border-line bg-raised p-5 pr-2.5 text-sm shadow-float"
        >
          <Dialog.Title className="text-sm font-semibold">{t('lost.title')}</Dialog.Title>
          <p>{t('lost.what')}</p>
          <p>{t('lost.kept')}</p>
          <p>{t('lost.next')}</p>
          <div className="flex justify-end gap-2">
            <Dialog.Close asChild>
              <Button>{t('lost.wait')}</Button>
            </Dialog.Close>
            <Button look="primary" onClick={() => window.location.reload()}>
              {t('lost.reload')}
            </Button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** False when this machine has no network at all. True says little, because a network may lead nowhere. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
