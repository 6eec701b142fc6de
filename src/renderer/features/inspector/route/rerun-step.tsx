import { useState } from 'react';
import type { StepState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { forkSession } from '../../../lib/session/session-commands.ts';
import { t } from '../../../lib/text/translate.ts';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { Button } from '../../../ui/controls/button.tsx';

interface RerunStepProps {
  readonly sessionId: string;
  readonly step: StepState;
}

/** Runs the step again in the other place, in a fork. The original stays as it is, and the two can be compared. */
export function RerunStep({ sessionId, step }: RerunStepProps) {
  const reach = { client: useClient(), navigate: useNavigate() };
  const models = useModels().data;
  const [isBusy, setIsBusy] = useState(false);
  const there = step.where === 'local' ? 'cloud' : 'local';
  if (models === undefined) return null;
  if (!models.some(({ where, state }) => where === there && state === 'ready')) {
    return (
      <div className="flex flex-col items-start gap-1">
        <p className="text-sm text-soft">{t(`route.otherWay.none.${there}`)}</p>
        <Button size="small" onClick={() => reach.navigate({ type: 'models' })}>
          {t('route.otherWay.models')}
        </Button>
      </div>
    );
  }
  const run = async (): Promise<void> => {
    setIsBusy(true);
    const next = { text: t('retry.text'), options: { policy: there } } as const;
    await forkSession(reach, sessionId, { before: step.callId }, next);
    setIsBusy(false);
  };
  return (
    <div className="flex flex-col items-start gap-1">
      <Button size="small" disabled={isBusy} onClick={() => void run()}>
        {t(`route.otherWay.${there}`)}
      </Button>
      <p className="text-sm text-soft">{t('route.otherWay.text')}</p>
    </div>
  );
}
