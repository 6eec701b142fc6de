import { useState } from 'react';
import type { AskedSession, ExpectedAgain } from '@shared/comparisons/asked-again.ts';
import type { AgainInput } from '@shared/contract/endpoint-contract.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import type { Work } from '../../lib/connection/use-work.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { tokens } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, type TextKey, t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { Field, InputField } from '../controls/field.tsx';
import { Select } from '../controls/select.tsx';
import { DialogFrame } from '../layout/dialog-frame.tsx';
import { Problem } from '../notices/problem.tsx';
import { AskedAgain } from './asked-again-rows.tsx';
import { useAskAgain } from './use-ask-again.ts';

interface AskAgainProps {
  /** Null: all sessions of a period that the person chooses. */
  readonly sessionIds: readonly string[] | null;
  /** Only this call of the one session. */
  readonly callId?: string;
  readonly onClose: () => void;
}

/** Asks another model recorded requests of sessions, or of a step. The price is told and allowed before. */
export default function AskAgain({ sessionIds, callId, onClose }: AskAgainProps) {
  const models = (useModels().data ?? []).filter(({ state }) => state === 'ready');
  const [chosen, setChosen] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [day, setDay] = useState(weekAgo);
  const [isAnew, setAnew] = useState(callId !== undefined);
  const model = chosen === '' ? (models[0]?.id ?? '') : chosen;
  const which = chosenCalls({ sessionIds, callId, day });
  const input = model === '' || which === null ? null : { which, model, isResuming: !isAnew };
  const { work, expected, isCounting, error, asked, ask, forget } = useAskAgain(input);
  const most = typed ?? suggestedUsd(expected);
  const { calls = 0, kept = 0, isSent = false } = expected ?? {};
  const isPaid = isSent && calls > 0;
  const isMany = sessionIds?.length !== 1;
  const change = (apply: () => void): void => {
    apply();
    setTyped(null);
    forget();
  };
  const { isBusy } = work;
  return (
    <DialogFrame title={t('again.title')} about={aboutText(sessionIds, callId)} onClose={onClose}>
      {sessionIds === null && <PeriodField day={day} isBusy={isBusy} onDay={(text) => change(() => setDay(text))} />}
      <ModelChoice models={models} model={model} isBusy={isBusy} onModel={(id) => change(() => setChosen(id))} />
      {isCounting && <p className="text-soft">{t('again.looking')}</p>}
      {error !== null && <Problem text={failureText(error)} />}
      {expected !== undefined && <Expectation expected={expected} isMany={isMany} />}
      {kept > 0 && callId === undefined && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={isAnew}
            disabled={isBusy}
            onChange={({ target }) => change(() => setAnew(target.checked))}
          />
          {plural('again.anew', kept)}
        </label>
      )}
      {isPaid && <LimitField most={most} isBusy={isBusy} onMost={setTyped} />}
      <Progress isBusy={isBusy} asked={asked} all={calls + (isAnew ? 0 : kept)} />
      {work.problem !== null && <Problem text={work.problem} />}
      <AskedAgain asked={asked} isMany={isMany} />
      <Buttons
        work={work}
        label={isAnew || kept === 0 ? 'again.ask' : calls === 0 ? 'again.show' : 'again.resume'}
        isAllowed={input !== null && (isPaid ? Number(most) > 0 : calls + kept > 0)}
        onAsk={() => ask(isSent ? Number(most) : null)}
        onClose={onClose}
      />
    </DialogFrame>
  );
}

function aboutText(sessionIds: AskAgainProps['sessionIds'], callId: string | undefined): string {
  if (sessionIds === null) return t('again.about.period');
  if (callId !== undefined) return t('again.about.step');
  return t(sessionIds.length > 1 ? 'again.about.some' : 'again.about.session');
}

interface PeriodFieldProps {
  readonly day: string;
  readonly isBusy: boolean;
  readonly onDay: (day: string) => void;
}

function PeriodField({ day, isBusy, onDay }: PeriodFieldProps) {
  return <InputField label={t('again.since')} type="date" disabled={isBusy} value={day} onText={onDay} />;
}

interface LimitFieldProps {
  readonly most: string;
  readonly isBusy: boolean;
  readonly onMost: (most: string) => void;
}

function LimitField({ most, isBusy, onMost }: LimitFieldProps) {
  const label = t('again.maxUsd');
  return <InputField label={label} type="number" min={0} step="any" disabled={isBusy} value={most} onText={onMost} />;
}

interface ChosenCalls extends Pick<AskAgainProps, 'sessionIds'> {
  readonly callId: string | undefined;
  /** Of a period. Empty: none. */
  readonly day: string;
}

/** Null: no day is chosen. */
function chosenCalls({ sessionIds, callId, day }: ChosenCalls): AgainInput['which'] | null {
  if (sessionIds !== null) return { sessionIds: [...sessionIds], ...(callId === undefined ? {} : { callId }) };
  // Midnight in the local time zone.
  const since = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(since) ? null : { since: Math.max(0, since) };
}

function weekAgo(): string {
  const day = new Date();
  day.setDate(day.getDate() - 7);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

interface ProgressProps {
  readonly isBusy: boolean;
  readonly asked: readonly AskedSession[];
  readonly all: number;
}

/** How far it is, or where a stop or the limit ended it. */
function Progress({ isBusy, asked, all }: ProgressProps) {
  const rows = asked.flatMap((one) => one.rows);
  if (isBusy) return <output>{t('again.progress', { done: rows.length, all })}</output>;
  if (!asked.some(({ isCut }) => isCut) && (asked.length === 0 || rows.length >= all)) return null;
  if (asked.some(({ failure }) => failure !== null) && !asked.some(({ isCut }) => isCut)) return null;
  const done = rows.filter(({ again }) => again.type === 'answered').length;
  return <p>{t('again.left', { done, all })}</p>;
}

interface ModelChoiceProps {
  readonly models: readonly ModelEntry[];
  readonly model: string;
  readonly isBusy: boolean;
  readonly onModel: (id: string) => void;
}

function ModelChoice({ models, model, isBusy, onModel }: ModelChoiceProps) {
  if (models.length === 0) return <p>{t('again.noModel')}</p>;
  return (
    <Field label={t('again.model')}>
      {(ids) => (
        <Select {...ids} value={model} disabled={isBusy} onChange={({ target }) => onModel(target.value)}>
          {models.map(({ id, label }) => (
            <option key={id} value={id}>
              {seenName(label)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface ButtonsProps {
  readonly work: Work;
  readonly label: TextKey;
  readonly isAllowed: boolean;
  readonly onAsk: () => void;
  readonly onClose: () => void;
}

function Buttons({ work, label, isAllowed, onAsk, onClose }: ButtonsProps) {
  return (
    <div className="flex justify-end gap-2">
      {work.isBusy ? (
        <Button onClick={work.cancel}>{t('again.cancel')}</Button>
      ) : (
        <>
          <Button look="quiet" onClick={onClose}>
            {t('again.close')}
          </Button>
          <Button look="primary" disabled={!isAllowed} onClick={onAsk}>
            {t(label)}
          </Button>
        </>
      )}
    </div>
  );
}

interface ExpectationProps {
  readonly expected: ExpectedAgain;
  readonly isMany: boolean;
}

function Expectation({ expected, isMany }: ExpectationProps) {
  const { calls, kept, promptTokens, costUsd, batchUsd, isSent, sessions, unread } = expected;
  const { both } = useMoney();
  if (calls + kept === 0) return <p>{t('again.noCalls')}</p>;
  return (
    <div className="flex flex-col gap-1">
      {isMany && (
        <p>
          {plural('again.sessions', sessions)}
          {unread > 0 && <span className="text-warn"> {plural('again.unread', unread)}</span>}
        </p>
      )}
      <p>
        {calls === 0
          ? t('again.allKept')
          : plural('again.expect', calls, { read: tokens(promptTokens), money: both(costUsd) })}
      </p>
      {batchUsd !== null && calls > 0 && <p className="text-soft">{t('again.batch', { money: both(batchUsd) })}</p>}
      {isSent && calls > 0 && <p className="text-soft">{t('again.sent')}</p>}
    </div>
  );
}

/** Half as much again as expected, in whole cents. Empty: nobody knows what it costs, so the person says it. */
function suggestedUsd(expected: ExpectedAgain | undefined): string {
  if (expected === undefined || expected.costUsd === null) return '';
  return (Math.max(1, Math.ceil(expected.costUsd * 150)) / 100).toFixed(2);
}
