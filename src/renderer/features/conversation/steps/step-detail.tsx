import type { StepEnd, StepState, ToolCallState } from '@shared/session/session-state.ts';
import { toolCallStatus } from '@shared/session/session-state.ts';
import { answerSpeedOf, decodeSpeedOf, firstTokenMsOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import { bytes, money, seconds, speed, tokens } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { useDetail } from '../../../lib/session/use-log-detail.ts';
import { useModelName } from '../../../lib/models/use-model-name.ts';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { StepActions } from './step-actions.tsx';
import { CallDetails } from './tool-details.tsx';
import type { CallDetail } from '@shared/contract/sessions-contract.ts';

interface StepDetailProps {
  readonly sessionId: string;
  readonly step: StepState;
  readonly calls: readonly ToolCallState[];
  /** The sequence number of the event that began its turn. */
  readonly near: number;
}

/** All that the log has about a step: its route, its answer, the results of its calls, and its request. */
export function StepDetail({ sessionId, step, calls, near }: StepDetailProps) {
  // One query for the step and its calls. It runs again when one of them has progressed.
  const calling = calls.map((call) => toolCallStatus(call)).join(' ');
  const place = { id: step.callId, near };
  const load = useDetail(sessionId, place, `${step.end === null ? 'running' : 'ended'} ${calling}`);
  const detail = load.type === 'ready' ? load.detail : null;
  const modelName = useModelName();
  return (
    <>
      <p className="text-xs text-soft" title={seenName(step.model)}>
        {t('step.on', {
          strategy: t(`route.strategy.${step.stage.strategy}`),
          model: modelName(step.model),
          purpose: t(`purpose.${step.purpose}`),
        })}
        {step.reason !== '' && `. ${seenWords(step.reason)}`}
        {step.waitedMs > 0 && ` ${t('step.waited', { time: seconds(step.waitedMs) })}`}
      </p>
      {detail?.request?.effort !== undefined && (
        <p className="text-xs text-soft">{t('thinking.step', { step: t(`thinking.${detail.request.effort}`) })}</p>
      )}
      {step.end !== null && <Figures end={step.end} price={detail?.price ?? null} />}
      {detail !== null && <Said detail={detail} />}
      {calls.length > 0 && <CallDetails load={load} calls={calls} />}
      {detail !== null && <Request detail={detail} />}
      {step.end !== null && <StepActions sessionId={sessionId} callId={step.callId} model={step.stage.model} />}
    </>
  );
}

function Figures({ end, price }: { readonly end: StepEnd; readonly price: CallDetail['price'] }) {
  const { usage } = end;
  const prefill = speed(prefillSpeedOf(end));
  const answer = end.timings.counted === undefined ? null : speed(answerSpeedOf(end));
  const firstMs = end.load === undefined ? null : firstTokenMsOf(end);
  const parts = [
    `${t('cost.fresh')} ${tokens(usage.freshInput)}`,
    usage.cacheRead === 0 ? null : `${t('cost.read')} ${tokens(usage.cacheRead)}`,
    usage.cacheWrite === 0 ? null : `${t('cost.write')} ${tokens(usage.cacheWrite)}`,
    `${t('cost.output')} ${tokens(usage.output)}`,
    usage.reasoning === 0 ? null : `${t('cost.reasoning')} ${tokens(usage.reasoning)}`,
    speed(decodeSpeedOf(end)),
    prefill === null ? null : t('status.prefill', { speed: prefill }),
    answer === null ? null : t('step.answerSpeed', { speed: answer }),
    firstMs === null ? null : t('step.firstToken', { time: seconds(firstMs) }),
    ...loadTexts(end),
    money(end.costUsd),
    price === null || price.source === 'local' ? null : priceText(price),
  ].filter((part) => part !== null);
  return <p className="text-xs text-soft tabular-nums">{parts.join(' · ')}</p>;
}

function priceText({ source, date }: NonNullable<CallDetail['price']>): string {
  return source === 'settings' ? t('step.ownPrice', { date }) : t('step.price', { source, date });
}

/** Where the model ran, and its planned and real memory. */
function loadTexts({ load }: StepEnd): readonly string[] {
  if (load === undefined) return [];
  const { backend, contextTokens, predictedBytes, observedBytes = null, adapter, drafts } = load;
  return [
    t('step.load', { backend, context: tokens(contextTokens) }),
    ...(adapter === undefined ? [] : [t('step.adapter', { name: seenName(adapter.name) })]),
    ...(drafts === undefined ? [] : draftsTexts(drafts)),
    ...(predictedBytes === null ? [] : [t('step.predicted', { memory: bytes(predictedBytes) })]),
    ...(observedBytes === null ? [] : [t('step.observed', { memory: bytes(observedBytes) })]),
  ];
}

type Drafts = NonNullable<NonNullable<StepEnd['load']>['drafts']>;

function draftsTexts({ way, bytes: taken, drafted, accepted }: Drafts): readonly string[] {
  const right = { accepted: tokens(accepted), drafted: tokens(drafted) };
  return [
    way === 'lookup' ? t('step.drafts.lookup', right) : t('step.drafts.by', { way: seenName(way), ...right }),
    ...(taken === null || taken === 0 ? [] : [t('step.drafts.memory', { memory: bytes(taken) })]),
  ];
}

function Said({ detail }: { readonly detail: CallDetail }) {
  const reasoning = textOf(detail, 'reasoning');
  const text = textOf(detail, 'text');
  return (
    <>
      {reasoning !== '' && (
        <Fold label={t('step.reasoning')}>
          <p className="mt-2 text-xs whitespace-pre-wrap text-soft wrap-anywhere [unicode-bidi:plaintext]">
            {printable(reasoning)}
          </p>
        </Fold>
      )}
      {text !== '' && (
        <Fold label={t('step.said')}>
          <div className="mt-2">
            <Markdown text={text} />
          </div>
        </Fold>
      )}
    </>
  );
}

function textOf({ parts }: CallDetail, type: 'text' | 'reasoning'): string {
  return parts.flatMap((part) => (part.type === type ? part.text : [])).join('');
}

function Request({ detail }: { readonly detail: CallDetail }) {
  const { request } = detail;
  if (request === null) return <p className="text-xs text-soft">{t('step.requestGone')}</p>;
  return (
    <Fold label={t('step.request')}>
      <div className="mt-2 flex flex-col gap-2">
        {request.messages.map((message, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the messages of one request never change
          <div key={index} className="flex flex-col gap-1">
            <p className="text-xs text-soft">
              {seenName(message.role)} · {bytes(new TextEncoder().encode(message.text).length)}
            </p>
            <CodeBlock code={message.text} language="" />
          </div>
        ))}
      </div>
    </Fold>
  );
}
