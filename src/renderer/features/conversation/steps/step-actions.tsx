import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { forkSession } from '../../../lib/session/session-commands.ts';
import { t } from '../../../lib/text/translate.ts';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { RestoreButton } from '../restore/restore-button.tsx';
import { Select } from '../../../ui/controls/select.tsx';

interface StepActionsProps {
  readonly sessionId: string;
  readonly callId: string;
  /** The model of the step. */
  readonly model: string;
}

/** Forks from a step: go on from its result, or run the step again on another model. */
export function StepActions({ sessionId, callId, model }: StepActionsProps) {
  const reach = { client: useClient(), navigate: useNavigate() };
  const models = (useModels().data ?? []).filter((entry) => entry.state === 'ready' && entry.id !== model);
  const [chosen, setChosen] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const run = async (work: () => Promise<boolean>): Promise<void> => {
    setIsBusy(true);
    await work();
    setIsBusy(false);
  };
  const retry = (): Promise<boolean> => {
    const entry = models.find((one) => one.id === chosen);
    const options =
      entry === undefined
        ? {}
        : entry.where === 'local'
          ? ({ policy: 'local', local: entry.id } as const)
          : ({ policy: 'cloud', cloud: entry.id } as const);
    return forkSession(reach, sessionId, { before: callId }, { text: t('retry.text'), options });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="small"
        disabled={isBusy}
        onClick={() => void run(() => forkSession(reach, sessionId, { after: callId }))}
      >
        {t('fork.here')}
      </Button>
      <Button size="small" disabled={isBusy} onClick={() => void run(retry)}>
        {t('retry.run')}
      </Button>
      <RestoreButton {...{ sessionId }} checkpoint={callId} />
      {models.length > 0 && (
        <Select
          aria-label={t('retry.model')}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          look="small"
          className="max-w-56"
        >
          <option value="">{t('retry.same')}</option>
          {models.map(({ id }) => (
            <option key={id} value={id}>
              {seenName(id)}
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}
