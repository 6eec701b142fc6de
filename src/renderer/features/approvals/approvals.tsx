import type { KeyboardEvent, Ref } from 'react';
import { lazy, Suspense, useImperativeHandle, useRef, useState } from 'react';
import { scopesOf } from '@shared/safety/approval-scopes.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import type { ApprovalState, SessionState } from '@shared/session/session-state.ts';
import { approvalText } from '../../lib/session/approval-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import type { QuestionHandle } from '../../lib/session/question-handle.ts';
import { useIsAnswerable } from '../../lib/input/use-is-answerable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { FormValues } from '@shared/tools/server-form.ts';
import { presetValues } from '@shared/tools/preset-values.ts';
import { AgentQuestion } from './agent-question.tsx';
import { AskedSubject } from './asked-subject.tsx';
import { seenPieces } from '@shared/text/seen-text.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { SeenText } from '../../ui/content/seen-text.tsx';

/** Rarely needed, so it is not in the page's first download. */
const AskedByServer = lazy(() => import('./asked-by-server.tsx'));
const AskedLine = lazy(() => import('./asked-line.tsx'));

interface ApprovalsProps {
  readonly sessionId: string;
  /** The questions of its child agents are among its own. */
  readonly state: Pick<SessionState, 'approvals' | 'children'>;
  readonly handle: Ref<QuestionHandle>;
  /** Words for a question that went before they were sent. False: there is no field to put them into. */
  readonly onUnsent: (words: string) => boolean;
}

/** Open questions to the user, one at a time. A question disappears when its answer is in the log. */
export function Approvals({ sessionId, state: { approvals, children = [] }, handle, onUnsent }: ApprovalsProps) {
  const [first] = approvals;
  if (first === undefined) return null;
  const asker = children.find((agent) => agent.sessionId === first.child)?.name ?? null;
  if (first.kind === 'question')
    return <AgentQuestion key={first.approvalId} {...{ sessionId, asker, handle, onUnsent }} approval={first} />;
  return (
    <Approval
      key={first.approvalId}
      sessionId={sessionId}
      approval={asker === null ? first : withoutName(first, asker)}
      waiting={approvals.length}
      asker={asker}
      handle={handle}
    />
  );
}

/** The reason of an agent's question names the agent, for a terminal. Here its name stands above. */
function withoutName(approval: ApprovalState, asker: string): ApprovalState {
  const { reason = '' } = approval;
  const start = `${asker} asks. `;
  return reason.startsWith(start) ? { ...approval, reason: reason.slice(start.length) } : approval;
}

interface ApprovalProps {
  readonly sessionId: string;
  readonly approval: ApprovalState;
  readonly waiting: number;
  /** The name of the agent that asks; null when it is this session's own. */
  readonly asker: string | null;
  readonly handle: Ref<QuestionHandle>;
}

interface Answer {
  readonly say: (answer: 'allow' | 'deny', scope?: ApprovalScope) => Promise<void>;
  /** The values in the form so far. */
  readonly values: FormValues;
  readonly setValues: (values: FormValues) => void;
  /** Why the last answer was not accepted. */
  readonly problem: string | null;
  readonly isAnswerable: boolean;
}

function useAnswer(sessionId: string, { approvalId, hosts, grant, form }: ApprovalState): Answer {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isAnswered, setIsAnswered] = useState(false);
  const [values, setValues] = useState(() => presetValues(form ?? []));
  const isAnswerable = useIsAnswerable() && !isAnswered;
  const say = async (answer: 'allow' | 'deny', scope: ApprovalScope = 'once'): Promise<void> => {
    if (!isAnswerable) return;
    setProblem(null);
    setIsAnswered(true);
    try {
      const isLasting = hosts !== undefined || grant !== undefined;
      const held = !isLasting || answer === 'deny' ? {} : { scope };
      const filled = form === undefined || answer === 'deny' ? {} : { values };
      await client.sessions.approve({ sessionId, approvalId, answer, ...held, ...filled });
    } catch (error) {
      setIsAnswered(false);
      setProblem(`${t('approval.failed')} ${failureText(error)}`);
    }
  };
  return { say, values, setValues, problem, isAnswerable };
}

function Approval({ sessionId, approval, waiting, asker, handle }: ApprovalProps) {
  const { approvalId, kind, text } = approval;
  const { say, values, setValues, problem, isAnswerable } = useAnswer(sessionId, approval);
  const deny = useRef<HTMLButtonElement>(null);
  const asked = approvalText(kind);
  // A browser without a grant changes no memory.
  const isRefused = useIsCommandRefused('memory.add') && kind === 'memory';
  // A browser changes no tool server.
  const canKeep = !useIsCommandRefused('tools.askAgain');
  const scopes = scopesOf(approval).filter((scope) => scope !== 'always' || canKeep);
  useImperativeHandle(handle, () => ({ focus: () => deny.current?.focus() }));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    void say('deny');
  };
  return (
    // Escape denies, wherever the focus is in the dialog.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
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
        {asker !== null && <span className="text-sm text-soft">{t('agents.asks', { name: asker })}</span>}
        {waiting > 1 && <span className="text-xs text-soft">{t('approval.count', { index: 1, count: waiting })}</span>}
      </div>
      <p id={`approval-${approvalId}`} className="text-sm">
        {asked.endsWith('?') ? asked : `${asked}:`}
      </p>
      <Suspense fallback={null}>
        {kind.startsWith('server-') ? (
          <AskedByServer approval={approval} values={values} onValues={setValues} />
        ) : kind === 'memory' ? (
          <AskedLine approval={approval} values={values} onValues={setValues} />
        ) : (
          <AskedSubject approval={approval} />
        )}
      </Suspense>
      {/* A question with a text shows only the text. */}
      {text === undefined && kind !== 'disk' && (
        <CallArguments sessionId={sessionId} toolCallId={approval.toolCallId} />
      )}
      {problem !== null && <Problem text={problem} />}
      <Answers
        isAnswerable={isAnswerable}
        deny={deny}
        scopes={scopes}
        words={wordsOf(kind)}
        canAllow={!isRefused}
        onAnswer={(answer, scope) => void say(answer, scope)}
      />
    </div>
  );
}

interface AnswersProps {
  readonly isAnswerable: boolean;
  readonly deny: Ref<HTMLButtonElement>;
  readonly scopes: readonly ApprovalScope[];
  readonly words: ReturnType<typeof wordsOf>;
  /** False: only a no counts here. */
  readonly canAllow: boolean;
  readonly onAnswer: (answer: 'allow' | 'deny', scope?: ApprovalScope) => void;
}

function Answers({ isAnswerable, deny, scopes, words, canAllow, onAnswer }: AnswersProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button ref={deny} look="primary" aria-disabled={!isAnswerable} onClick={() => onAnswer('deny')}>
        {words.no}
      </Button>
      {(canAllow ? scopes : []).map((scope) => (
        <Button key={scope} aria-disabled={!isAnswerable} onClick={() => onAnswer('allow', scope)}>
          {scopes.length === 1 ? words.yes : t(`approval.allow.${scope}`)}
        </Button>
      ))}
      <p className="text-sm text-soft">
        {t('approval.hint')} {canAllow && scopes.includes('always') && t('approval.alwaysHint')}
      </p>
    </div>
  );
}

/** The words on the buttons. A yes to hosts has its own words for how long it holds. */
function wordsOf(kind: string): { readonly yes: string; readonly no: string } {
  if (kind === 'instructions') return { yes: t('approval.follow'), no: t('approval.deny') };
  if (kind === 'memory') return { yes: t('approval.keep-line'), no: t('approval.drop-line') };
  if (kind === 'hard-links') return { yes: t('approval.break-links'), no: t('approval.leave-links') };
  if (kind === 'server-form') return { yes: t('approval.send'), no: t('approval.decline') };
  if (kind === 'server-link') return { yes: t('approval.opened'), no: t('approval.decline') };
  if (kind === 'connection') return { yes: t('approval.is-connected'), no: t('approval.not-connected') };
  if (kind === 'disk') return { yes: t('approval.go-on'), no: t('approval.end') };
  return { yes: t('approval.allow'), no: t('approval.deny') };
}

interface WholeCallProps {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** The arguments of the call that asks, as Dewpoint parsed them. */
export function CallArguments(props: WholeCallProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-fit items-center gap-1 rounded text-xs text-soft hover:text-ink"
      >
        <Icon name="chevron" className={`size-3 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        {t('approval.whole')}
      </button>
      {isOpen && <Arguments {...props} />}
    </div>
  );
}

function Arguments({ sessionId, toolCallId }: WholeCallProps) {
  const load = useDetail(sessionId, toolCallId, 'asked');
  if (load.type === 'loading') return <p className="text-sm text-soft">{t('step.loadingDetail')}</p>;
  if (load.type === 'failed') return <p className="text-sm text-soft">{load.text}</p>;
  const [tool] = load.detail.tools;
  const text = tool === undefined ? '' : `${tool.tool} ${JSON.stringify(tool.input, null, 2)}`;
  return <SeenText pieces={seenPieces(text)} />;
}
