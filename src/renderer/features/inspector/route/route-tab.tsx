import type { SessionState, StepState, TurnState } from '@shared/session/session-state.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { money, seconds } from '../../../lib/text/format.ts';
import { stepLabel } from '../../../lib/session/step-label.ts';
import { useModelName } from '../../../lib/models/use-model-name.ts';
import { ModelName } from '../../../ui/figures/model-name.tsx';
import { stageText } from '../../../lib/text/stage-text.ts';
import { t } from '../../../lib/text/translate.ts';
import { Empty, Facts, Section } from '../../../ui/layout/facts.tsx';
import { RouteDot } from '../../../ui/figures/route-dot.tsx';
import { StepCounterfactual } from './step-counterfactual.tsx';
import { RouteDecision } from './route-decision.tsx';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../lib/connection/core-context.ts';
import { Select } from '../../../ui/controls/select.tsx';

interface RouteTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly selectedStep: string | null;
  readonly onStep: (callId: string) => void;
}

/** Why a step ran where it ran, as far as the log says. */
export function RouteTab({ sessionId, state, selectedStep, onStep }: RouteTabProps) {
  const step = state.steps.find((one) => one.callId === selectedStep) ?? state.steps.at(-1);
  const turn = state.turns.find((one) => one.id === step?.turnId) ?? state.turns.at(-1);
  if (step === undefined) {
    return (
      <>
        <Empty action="message">{t('route.none')}</Empty>
        {turn !== undefined && <Stages turn={turn} />}
      </>
    );
  }
  const local = state.steps.filter((one) => one.where === 'local').length;
  const ended = state.steps.filter((one) => one.end !== null).length;
  return (
    <>
      <label className="mb-4 block">
        <span className="sr-only">{t('route.choose')}</span>
        <Select value={step.callId} onChange={(event) => onStep(event.target.value)}>
          {state.steps.map((one) => (
            <option key={one.callId} value={one.callId}>
              {t('route.step', { step: one.step, label: stepLabel(one) })}
            </option>
          ))}
        </Select>
      </label>
      <StepRoute step={step} />
      <StepCounterfactual sessionId={sessionId} step={step} version={ended} />
      <RouteDecision sessionId={sessionId} step={step} />
      {turn !== undefined && <Stages turn={turn} />}
      <Escalations sessionId={sessionId} state={state} onStep={onStep} />
      <p className="mt-6 text-sm text-soft">{t('route.share', { local, all: state.steps.length })}</p>
    </>
  );
}

function StepRoute({ step }: { readonly step: StepState }) {
  const { end } = step;
  return (
    <div className="flex flex-col gap-3">
      <p
        className={`flex items-center gap-2.5 rounded-lg px-3 py-2 text-sm font-semibold ${step.where === 'cloud' ? 'bg-cloud-soft text-cloud' : 'bg-local-soft text-local'}`}
      >
        <RouteDot where={step.where} />
        {t(end === null ? `route.runs.${step.where}` : `route.ran.${step.where}`)}
      </p>
      <div>
        <h3 className="text-sm font-semibold text-soft">{t('route.because')}</h3>
        <p className="mt-1 text-sm wrap-anywhere">
          {step.reason === '' ? t('route.noReason') : seenWords(step.reason)}
        </p>
      </div>
      <Facts
        facts={[
          [t('cost.model'), <ModelName key="model" id={step.model} />],
          [t('cost.money'), end === null ? null : money(end.costUsd)],
          [t('route.purpose'), t(`purpose.${step.purpose}`)],
          [t('route.time'), end === null ? null : seconds(end.timings.totalMs)],
        ]}
      />
    </div>
  );
}

function Stages({ turn }: { readonly turn: TurnState }) {
  const modelName = useModelName();
  if (turn.cascade.length === 0) return null;
  const works = turn.stages.at(-1)?.stage;
  const others = turn.cascade.filter(({ model, strategy }) => model !== works?.model || strategy !== works.strategy);
  return (
    <Section title={t('route.stages')}>
      <ol className="flex flex-col gap-2 text-sm">
        {turn.stages.map(({ stage, recipe, reason }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a stage may be chosen again
          <li key={index} className="flex gap-2.5">
            <span className="mt-1.5">
              <RouteDot where={stage.where} />
            </span>
            <div className="min-w-0 wrap-anywhere">
              <p title={seenName(stage.model)}>{stageText(stage, recipe, modelName(stage.model))}</p>
              <p className="text-sm text-soft">{seenWords(reason)}</p>
            </div>
          </li>
        ))}
      </ol>
      {others.length > 0 && <h4 className="mt-2 text-sm text-soft">{t('route.cascade')}</h4>}
      <ol className="flex flex-col gap-1 text-sm text-soft empty:hidden">
        {others.map((stage, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a cascade never changes
          <li key={index} className="flex items-center gap-2.5 wrap-anywhere">
            <RouteDot where={stage.where} />{' '}
            <span title={seenName(stage.model)}>{stageText(stage, null, modelName(stage.model))}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface EscalationsProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly onStep: (callId: string) => void;
}

/** The steps that a failure moved, with the causes. Empty when there are none. */
export function Escalations({ sessionId, state, onStep }: EscalationsProps) {
  const client = useClient();
  const modelName = useModelName();
  const found = useQuery({
    queryKey: ['escalations', sessionId, state.steps.length],
    queryFn: ({ signal }) => client.sessions.escalations({ sessionId }, { signal }),
    placeholderData: (last) => last,
  });
  if (found.data === undefined || found.data.length === 0) return null;
  return (
    <Section title={t('route.escalations')}>
      <ul className="flex flex-col gap-2 text-sm">
        {found.data.map(({ callId, step, kind, to, cause, text }) => (
          <li key={callId} className="wrap-anywhere">
            <button type="button" className="text-left hover:underline" onClick={() => onStep(callId)}>
              {t(`route.escalated.${kind}`, { step: step ?? '?', model: modelName(to) })}: {t(`route.cause.${cause}`)}
            </button>
            <p className="text-sm text-soft">{seenWords(text)}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
