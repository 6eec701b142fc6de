import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AskedAgain, ExpectedAgain } from '@shared/comparisons/asked-again.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useWork, type Work } from '../../lib/connection/use-work.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { tokens } from '../../lib/text/format.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { Field, InputField } from '../controls/field.tsx';
import { Select } from '../controls/select.tsx';
import { DialogFrame } from '../layout/dialog-frame.tsx';
import { Problem } from '../notices/problem.tsx';
import { AskedAgainRows } from './asked-again-rows.tsx';

interface AskAgainProps {
  readonly sessionId: string;
  /** Only this call. Null: all of the session. */
  readonly callId: string | null;
  readonly onClose: () => void;
}

/** Asks another model the recorded requests of a session or a step. The price is told and allowed before. */
export default function AskAgain({ sessionId, callId, onClose }: AskAgainProps) {
  const client = useClient();
  const models = (useModels().data ?? []).filter(({ state }) => state === 'ready');
  const [chosen, setChosen] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [rows, setRows] = useState<readonly AskedAgain[]>([]);
  const work = useWork('costs');
  const model = chosen === '' ? (models[0]?.id ?? '') : chosen;
  const one = { sessionId, model, ...(callId === null ? {} : { callId }) };
  const expected = useQuery({
    queryKey: ['ask-again', one],
    queryFn: ({ signal }) => client.endpoint.expectAgain(one, { signal }),
    enabled: model !== '',
  });
  const most = typed ?? suggestedUsd(expected.data);
  const ask = (): Promise<boolean> =>
    work.run(async (signal) => {
      setRows([]);
      const maxUsd = expected.data?.isSent === true ? Number(most) : null;
      for await (const row of await client.endpoint.askAgain({ ...one, maxUsd }, { signal })) {
        if (signal.aborted) return;
        setRows((before) => [...before, row]);
      }
    });
  const calls = expected.data?.calls ?? 0;
  const isAllowed = calls > 0 && (expected.data?.isSent !== true || Number(most) > 0);
  return (
    <DialogFrame
      title={t('again.title')}
      about={t(`again.about.${callId === null ? 'session' : 'step'}`)}
      onClose={onClose}
    >
      {models.length === 0 && <p>{t('again.noModel')}</p>}
      {models.length > 0 && (
        <ModelChoice
          models={models}
          model={model}
          isBusy={work.isBusy}
          onModel={(id) => {
            setChosen(id);
            setTyped(null);
            setRows([]);
          }}
        />
      )}
      {expected.isFetching && <p className="text-soft">{t('again.looking')}</p>}
      {expected.error !== null && <Problem text={failureText(expected.error)} />}
      {expected.data !== undefined && <Expectation expected={expected.data} />}
      {expected.data?.isSent === true && calls > 0 && (
        <InputField
          label={t('again.maxUsd')}
          type="number"
          min={0}
          step="any"
          disabled={work.isBusy}
          value={most}
          onText={setTyped}
        />
      )}
      {work.isBusy && <output>{t('again.progress', { done: rows.length, all: calls })}</output>}
      {work.problem !== null && <Problem text={work.problem} />}
      {rows.length > 0 && <AskedAgainRows rows={rows} />}
      {!work.isBusy && isCut(rows, calls) && <p>{t('again.left', { done: answered(rows), all: calls })}</p>}
      <Buttons work={work} isAllowed={isAllowed} onAsk={() => void ask()} onClose={onClose} />
    </DialogFrame>
  );
}

interface ModelChoiceProps {
  readonly models: readonly ModelEntry[];
  readonly model: string;
  readonly isBusy: boolean;
  readonly onModel: (id: string) => void;
}

function ModelChoice({ models, model, isBusy, onModel }: ModelChoiceProps) {
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
  readonly isAllowed: boolean;
  readonly onAsk: () => void;
  readonly onClose: () => void;
}

function Buttons({ work, isAllowed, onAsk, onClose }: ButtonsProps) {
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
            {t('again.ask')}
          </Button>
        </>
      )}
    </div>
  );
}

function Expectation({ expected: { calls, promptTokens, costUsd, isSent } }: { readonly expected: ExpectedAgain }) {
  const { both } = useMoney();
  if (calls === 0) return <p>{t('again.noCalls')}</p>;
  return (
    <div className="flex flex-col gap-1">
      <p>{plural('again.expect', calls, { read: tokens(promptTokens), money: both(costUsd) })}</p>
      {isSent && <p className="text-soft">{t('again.sent')}</p>}
    </div>
  );
}

const answered = (rows: readonly AskedAgain[]): number => rows.filter(({ again }) => again.type === 'answered').length;

/** Whether a stop or the limit left requests: what was asked cannot be gone on from. */
function isCut(rows: readonly AskedAgain[], calls: number): boolean {
  const isAtLimit = rows.some(({ again }) => again.type === 'not-asked' && again.isLimit === true);
  return rows.length > 0 && (rows.length < calls || isAtLimit);
}

/** Half as much again as expected, in whole cents. Empty: nobody knows what it costs, so the person says it. */
function suggestedUsd(expected: ExpectedAgain | undefined): string {
  if (expected === undefined || expected.costUsd === null) return '';
  return (Math.max(1, Math.ceil(expected.costUsd * 150)) / 100).toFixed(2);
}
