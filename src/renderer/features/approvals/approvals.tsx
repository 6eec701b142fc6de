import type { KeyboardEvent, Ref } from 'react';
import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ApprovalState } from '@shared/session-state.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { seenPieces } from '../../lib/strange-characters.ts';
import { t } from '../../lib/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SeenText } from './seen-text.tsx';
import { WholeCall } from './whole-call.tsx';

export interface ApprovalsHandle {
  readonly focus: () => void;
}

interface ApprovalsProps {
  readonly sessionId: string;
  readonly approvals: readonly ApprovalState[];
  readonly handle: Ref<ApprovalsHandle>;
}

/** Questions that wait for a person, one at a time. An answered one goes when its answer is in the log. */
export function Approvals({ sessionId, approvals, handle }: ApprovalsProps) {
  const [first] = approvals;
  if (first === undefined) return null;
  return (
    <Approval
      key={first.approvalId}
      sessionId={sessionId}
      approval={first}
      waiting={approvals.length}
      handle={handle}
    />
  );
}

/** Long enough that a key or click meant for something else cannot answer. */
const guardMs = 500;

/** False for a moment after it appears and after the window gets the focus back. */
function useIsAnswerable(): boolean {
  const [isAnswerable, setIsAnswerable] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const guard = (): void => {
      clearTimeout(timer);
      setIsAnswerable(false);
      timer = setTimeout(() => setIsAnswerable(true), guardMs);
    };
    guard();
    window.addEventListener('focus', guard);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', guard);
    };
  }, []);
  return isAnswerable;
}

interface ApprovalProps {
  readonly sessionId: string;
  readonly approval: ApprovalState;
  readonly waiting: number;
  readonly handle: Ref<ApprovalsHandle>;
}

function Approval({ sessionId, approval, waiting, handle }: ApprovalProps) {
  const client = useClient();
  const { approvalId, kind, subject } = approval;
  const [problem, setProblem] = useState<string | null>(null);
  const [isAnswered, setIsAnswered] = useState(false);
  const isAnswerable = useIsAnswerable() && !isAnswered;
  const deny = useRef<HTMLButtonElement>(null);
  useImperativeHandle(handle, () => ({ focus: () => deny.current?.focus() }));
  const pieces = seenPieces(subject);
  const say = async (answer: 'allow' | 'deny'): Promise<void> => {
    if (!isAnswerable) return;
    setProblem(null);
    setIsAnswered(true);
    try {
      await client.sessions.approve({ sessionId, approvalId, answer });
    } catch (error) {
      setIsAnswered(false);
      setProblem(`${t('approval.failed')} ${failureText(error)}`);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    void say('deny');
  };
  return (
    <div className="mx-auto w-full max-w-3xl px-5 pb-3">
      {/* Escape says no, wherever the focus is in it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="alertdialog"
        tabIndex={-1}
        aria-label={t('approval.label')}
        aria-describedby={`approval-${approvalId}`}
        onKeyDown={onKeyDown}
        className="flex flex-col gap-2.5 rounded-xl border border-line-strong bg-raised p-4 shadow-float"
      >
        <div className="flex items-center gap-2">
          <Icon name="shield" className="size-4 text-warn" />
          <h2 className="flex-1 text-sm font-semibold">{t('approval.label')}</h2>
          {waiting > 1 && (
            <span className="text-xs text-soft">{t('approval.count', { index: 1, count: waiting })}</span>
          )}
        </div>
        <p id={`approval-${approvalId}`} className="text-sm">
          {kindText(kind)}:
        </p>
        <SeenText pieces={pieces} />
        {pieces.some((piece) => piece.kind !== 'plain') && <p className="text-xs text-warn">{t('approval.strange')}</p>}
        <WholeCall sessionId={sessionId} toolCallId={approval.toolCallId} />
        {problem !== null && <Notice kind="error">{problem}</Notice>}
        <Answers isAnswerable={isAnswerable} deny={deny} onAnswer={(answer) => void say(answer)} />
      </div>
    </div>
  );
}

interface AnswersProps {
  readonly isAnswerable: boolean;
  readonly deny: Ref<HTMLButtonElement>;
  readonly onAnswer: (answer: 'allow' | 'deny') => void;
}

function Answers({ isAnswerable, deny, onAnswer }: AnswersProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button ref={deny} look="primary" aria-disabled={!isAnswerable} onClick={() => onAnswer('deny')}>
        {t('approval.deny')}
      </Button>
      <Button aria-disabled={!isAnswerable} onClick={() => onAnswer('allow')}>
        {t('approval.allow')}
      </Button>
      <p className="text-xs text-soft">{t('approval.hint')}</p>
    </div>
  );
}

function kindText(kind: string): string {
  if (kind === 'guarded-file') return t('approval.guarded-file');
  if (kind === 'fence') return t('approval.fence');
  return kind === 'network' ? t('approval.network') : t('approval.unknown', { kind });
}
