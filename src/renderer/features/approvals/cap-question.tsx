import type { Ref } from 'react';
import { useImperativeHandle, useRef, useState } from 'react';
import { suggestedRaiseUsd } from '@shared/money/limit-raise.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { money } from '../../lib/text/format.ts';
import type { QuestionHandle } from '../../lib/session/question-handle.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

type Cap = NonNullable<SessionState['cap']>;
type Decision = Parameters<CoreClient['sessions']['answerCap']>[0]['decision'];

interface CapQuestionProps {
  readonly sessionId: string;
  readonly cap: Cap | null;
  readonly handle: Ref<QuestionHandle>;
}

/**
 * The turn waits at a spending limit, and the user decides how it goes on. Disappears when the answer is in the log.
 */
export function CapQuestion({ cap, ...props }: CapQuestionProps) {
  return cap === null ? null : <Question key={cap.capId} cap={cap} {...props} />;
}

function Question({ sessionId, cap, handle }: CapQuestionProps & { readonly cap: Cap }) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isAnswered, setIsAnswered] = useState(false);
  const dialog = useRef<HTMLDivElement>(null);
  // Focuses the first possible answer, which is the one that costs nothing.
  useImperativeHandle(handle, () => ({
    focus: () => dialog.current?.querySelector<HTMLElement>('button:enabled')?.focus(),
  }));
  const answer = async (decision: Decision): Promise<void> => {
    setProblem(null);
    setIsAnswered(true);
    try {
      await client.sessions.answerCap({ sessionId, capId: cap.capId, decision });
    } catch (error) {
      setIsAnswered(false);
      setProblem(`${t('approval.failed')} ${failureText(error)}`);
    }
  };
  const modelName = useModelName();
  return (
    <div
      ref={dialog}
      role="alertdialog"
      aria-label={t('cap.label')}
      aria-describedby={`cap-${cap.capId}`}
      className="flex flex-col gap-2.5 rounded-xl border border-line-strong bg-raised p-4 shadow-float"
    >
      <h2 className="flex items-center gap-2 text-sm font-semibold">
        <Icon name="alert" className="size-4 text-warn" /> {t('cap.label')}
      </h2>
      <p id={`cap-${cap.capId}`} className="text-sm">
        {capText(cap, modelName(cap.model))}
        {cap.here === null && ` ${t('cap.noLocal')}`}
      </p>
      {problem !== null && <Problem text={problem} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={isAnswered || cap.here === null}
          title={cap.here === null ? t('cap.noLocal') : undefined}
          onClick={() => void answer({ answer: 'local' })}
        >
          {t('cap.local')}
        </Button>
        <Button disabled={isAnswered} onClick={() => void answer({ answer: 'stop' })}>
          {t('cap.stop')}
        </Button>
        <RaiseBy
          suggestedUsd={suggestedRaiseUsd(cap)}
          isDisabled={isAnswered}
          onRaise={(usd) => void answer({ answer: 'raise', usd })}
        />
      </div>
    </div>
  );
}

interface RaiseByProps {
  readonly suggestedUsd: number;
  readonly isDisabled: boolean;
  readonly onRaise: (usd: number) => void;
}

/** Keeps the amount and its button on one line. */
function RaiseBy({ suggestedUsd, isDisabled, onRaise }: RaiseByProps) {
  const [typed, setTyped] = useState(() => suggestedUsd.toFixed(2));
  const amount = Number(typed);
  const isAmount = typed.trim() !== '' && Number.isFinite(amount) && amount > 0;
  return (
    <div className="ml-auto flex items-center gap-2 max-sm:ml-0">
      <label className="flex items-center gap-2 text-sm whitespace-nowrap">
        {t('cap.raiseBy')}
        <input
          type="number"
          min={0}
          step="any"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="h-8 w-20 rounded-md border border-line-strong bg-raised px-2 text-right tabular-nums"
        />
      </label>
      <Button disabled={isDisabled || !isAmount} onClick={() => onRaise(amount)}>
        {t('cap.raise')}
      </Button>
    </div>
  );
}

function capText({ scope, limitUsd, spentUsd, heldUsd, worstUsd }: Cap, model: string): string {
  const values = {
    model,
    scope: t(`cap.scope.${scope}`),
    limit: money(limitUsd),
    spent: money(spentUsd),
    held: money(heldUsd),
  };
  if (worstUsd === null) return t('cap.unpriced', values);
  return t(heldUsd > 0 ? 'cap.textHeld' : 'cap.text', { ...values, worst: money(worstUsd) });
}
