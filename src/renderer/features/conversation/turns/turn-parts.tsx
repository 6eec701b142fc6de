import { useMemo, useState } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { phaseText, stageText } from '../../../lib/text/stage-text.ts';
import { t } from '../../../lib/text/translate.ts';
import type { CheckResult, MessageState, SessionState, TurnState } from '@shared/session/session-state.ts';
import type { Confidence } from '@shared/events/turn-events.ts';
import { missingProgram } from '@shared/text/missing-program.ts';
import { testsText } from '@shared/text/passed-tests.ts';
import type { RunStatus } from '@shared/session/run-options.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { rememberedLines } from '@shared/projects/memory-line.ts';
import { seenCommand, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { TurnTimeline } from '../../../lib/session/turn-timeline.ts';
import { useShowMemory } from '../../../lib/window/navigation.ts';
import { HintText } from '../../../ui/notices/hint-text.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { AttachmentList } from '../../../ui/content/attachment-list.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { CopyButton } from '../../../ui/controls/copy-button.tsx';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { TerminalOutput } from '../../../ui/content/terminal-output.tsx';
import { WaitingActions } from './waiting-actions.tsx';
import { EditMessage, MessageActions } from './message-actions.tsx';
import { MessageText } from './message-text.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { Regenerate } from './regenerate.tsx';
import { PlanProgress } from './plan-progress.tsx';
import { rowId } from '../row-id.ts';
import { answerOutline } from '../../../lib/drawing/answer-outline.ts';
import type { ShowHeading } from './answer-outline-list.tsx';
import { AnswerOutlineList } from './answer-outline-list.tsx';
import { useModelName } from '../../../lib/models/use-model-name.ts';
import { useWholeText } from '../whole-text.tsx';

interface MessageProps {
  readonly sessionId: string;
  readonly message: MessageState;
  readonly isWaiting: boolean;
}

const none: readonly Attachment[] = [];

export function Message({ sessionId, message, isWaiting }: MessageProps) {
  const [isEditing, setIsEditing] = useState(false);
  const { messageId, text, seq, attachments = none, isDropped = false } = message;
  const whole = useWholeText(sessionId, { id: messageId, near: seq }, text);
  if (message.origin !== undefined) {
    return (
      <article id={rowId(messageId)} tabIndex={-1} aria-label={t('session.appNote')} className="mt-5 mb-1 text-xs">
        <Fold label={t(`message.origin.${message.origin}`)}>
          <p className="mt-1.5 border-l border-line pl-3 whitespace-pre-wrap text-soft wrap-anywhere">
            {seenWords(whole)}
          </p>
        </Fold>
      </article>
    );
  }
  if (isEditing) {
    return (
      <EditMessage
        sessionId={sessionId}
        messageId={messageId}
        text={whole}
        attachments={attachments}
        onDone={() => setIsEditing(false)}
      />
    );
  }
  return (
    <div id={rowId(messageId)} tabIndex={-1} data-dropped={isDropped} className="group/message mt-6 mb-1">
      <article
        aria-label={t(isWaiting ? 'session.youWaiting' : 'session.you')}
        className={`ml-auto w-fit max-w-[85%] rounded-xl px-4 py-2.5 ${isWaiting ? 'border border-dashed border-line-strong text-soft' : 'bg-chosen'}`}
      >
        {attachments.length > 0 && (
          <div className="mb-2">
            <AttachmentList attachments={attachments} />
          </div>
        )}
        <MessageText text={whole} />
        {isWaiting && <p className="mt-1 text-xs">{t('composer.queued')}</p>}
      </article>
      {isWaiting ? (
        <WaitingActions {...{ sessionId, messageId, attachments }} text={whole} />
      ) : (
        <MessageActions
          text={whole}
          attachments={attachments}
          isDropped={isDropped}
          sessionId={sessionId}
          messageId={messageId}
          onEdit={() => setIsEditing(true)}
        >
          <BranchSwitcher sessionId={sessionId} messageId={messageId} text={whole} />
        </MessageActions>
      )}
    </div>
  );
}

/** The start of a turn: the chosen strategy and model with the reason, and the check before the work. */
export function TurnStart({ turn }: { readonly turn: TurnState }) {
  const first = turn.stages[0];
  return (
    <div className="mb-1 flex flex-col text-xs text-soft">
      {first !== undefined && <StageLine chosen={first} />}
      <CheckRun label={t('turn.before')} turn={turn} result={turn.before} />
    </div>
  );
}

/** The strategy and model chosen at this point, with the reason. */
export function StageLine({ chosen: { stage, recipe, reason } }: { readonly chosen: TurnState['stages'][number] }) {
  const modelName = useModelName();
  return (
    <p className="py-1 text-xs text-soft wrap-anywhere">
      <span className="text-ink" title={seenName(stage.model)}>
        {stageText(stage, recipe, modelName(stage.model))}
      </span>
      : {seenWords(reason)}
    </p>
  );
}

/** The progress of a recipe at this point. */
export function RecipeNote({ note: { phase, text } }: { readonly note: SessionState['progress'][number] }) {
  return (
    <p className="py-1 pl-5.5 text-xs text-soft wrap-anywhere">
      <span className="text-ink">{phaseText(phase)}</span> {seenWords(text)}
    </p>
  );
}

interface CheckRunProps {
  readonly label: string;
  readonly turn: TurnState;
  readonly result: CheckResult | null;
}

function CheckRun({ label, turn, result }: CheckRunProps) {
  if (result === null) return null;
  return (
    <Fold
      label={
        <span>
          {label}: <code className="font-mono">{seenCommand(turn.check?.command ?? '')}</code>{' '}
          <span
            className={`font-semibold ${result.passed ? 'text-good' : result.unrelated === true ? 'text-soft' : 'text-bad'}`}
          >
            {t(result.passed ? 'turn.passes' : result.unrelated === true ? 'turn.failsApart' : 'turn.fails')}
          </span>
        </span>
      }
    >
      <div className="mt-1.5">
        <TerminalOutput text={result.summary} />
      </div>
    </Fold>
  );
}

interface RanProps {
  readonly sessionId: string;
  readonly timeline: TurnTimeline;
}

/** The progress of the plan. */
export function TurnProgress({ sessionId, timeline }: RanProps) {
  return (
    <div className="mt-2">
      <PlanProgress sessionId={sessionId} timeline={timeline} />
    </div>
  );
}

/** The check after the work. */
export function TurnCheck({ turn }: { readonly turn: TurnState }) {
  return (
    <div className="mt-2 text-xs text-soft">
      <CheckRun label={t('turn.after')} turn={turn} result={turn.after} />
    </div>
  );
}

interface TurnAnswerPartProps {
  readonly id: string;
  readonly text: string;
  readonly isFirst: boolean;
}

/** A heading for screen readers, so that users can jump from answer to answer. */
function AnswerHeading() {
  return <h2 className="sr-only">{t('session.answer')}</h2>;
}

/** A part of a long final text. */
export function TurnAnswerPart({ id, text, isFirst }: TurnAnswerPartProps) {
  return (
    <div id={id} className="mt-2">
      {isFirst && <AnswerHeading />}
      <Markdown text={text} />
    </div>
  );
}

interface AfterProps {
  readonly sessionId: string;
  readonly turn: TurnState;
  /** The message that the turn is about; null when it is not loaded. */
  readonly message: MessageState | null;
  /** The final text, or its last part. */
  readonly text: string;
  /** All of the text that is loaded. */
  readonly whole: string;
  readonly onHeading: ShowHeading;
}

/** Tests that pass are counted: "474 tests pass, 13 of them new". */
function confidenceWords({ before, after }: TurnState, confidence: Confidence): string {
  if (confidence === 'unchecked' && after?.unrelated === true) {
    const missing = missingProgram(after.exitCode, after.summary);
    return t(missing === null ? 'turn.tests.asBefore' : 'turn.tests.noProgramText');
  }
  if (confidence !== 'tests-pass') return t(`turn.confidence.${confidence}`);
  const said = testsText(before?.summary ?? null, after?.summary ?? null);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** The end of a turn, once it is over. */
export function TurnEnd({ sessionId, turn, message, text, whole, onHeading }: AfterProps) {
  const headings = useMemo(() => (whole === text ? [] : answerOutline(whole)), [whole, text]);
  const status = turnStatus(turn);
  if (status === 'running') return null;
  const isProposed = turn.confidence === 'proposed';
  const isGood = status === 'done' && !isProposed;
  const tone = isGood ? 'text-good' : status === 'waiting' ? 'text-ink' : 'text-warn';
  return (
    <div id={rowId(`after-${turn.id}`)} tabIndex={-1} data-outcome={turn.reason} className="mt-2 flex flex-col gap-2">
      {endsWithWords(turn, text) && (
        <div data-answer>
          {whole === text && <AnswerHeading />}
          <Markdown text={text} />
        </div>
      )}
      <UsedMemory lines={turn.memory} />
      <TurnFailure turn={turn} />
      {turn.reason === 'answered' ? (
        <AnswerActions {...{ sessionId, turn, message, whole }} />
      ) : (
        <div className="flex items-start gap-2 text-xs text-soft">
          <Icon name={endIcon(status, isGood)} className={`mt-1.25 size-3.5 ${tone}`} />
          <p className="min-w-0 leading-6 wrap-anywhere">
            <span className={`font-semibold ${tone}`}>{t(isProposed ? 'turn.proposed' : endKey(turn, status))}</span>
            {turn.confidence !== null && turn.reason !== 'planned' && ` · ${confidenceWords(turn, turn.confidence)}`}
          </p>
          {/* Without an answer there is nothing to regenerate. An offer below sends the task again. */}
          {status !== 'missing' && <AnswerActions {...{ sessionId, turn, message, whole }} />}
        </div>
      )}
      {turn.reason !== 'crashed' && <Kept status={status} />}
      {/* A reader who has reached the end can go back from here. */}
      {whole !== text && <AnswerOutlineList turnId={turn.id} headings={headings} onHeading={onHeading} />}
    </div>
  );
}

/** The lines of the memory that an answer used. Each leads to where it is kept. */
function UsedMemory({ lines }: { readonly lines: TurnState['memory'] }) {
  const showMemory = useShowMemory();
  const left = rememberedLines(lines);
  if (left.length === 0) return null;
  return (
    <section aria-label={t('turn.memory')} className="text-xs text-soft">
      <p>{t('turn.memory')}</p>
      <ul>
        {left.map((line) => (
          <li key={line}>
            <button
              type="button"
              dir="auto"
              title={t('turn.memory.open')}
              onClick={showMemory}
              className="min-h-6 cursor-pointer text-left wrap-anywhere underline decoration-line-strong underline-offset-3 hover:text-ink"
            >
              {seenWords(line)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether a turn ended with words to show. Another line says that you stopped it. */
export function endsWithWords({ reason }: TurnState, text: string): boolean {
  return text !== '' && !(reason === 'cancelled' && text === 'Cancelled.');
}

/** What failed, unless the words say it, and what to do. */
export function TurnFailure({ turn: { text, failure } }: { readonly turn: TurnState }) {
  if (failure === null) return null;
  return (
    <>
      {!text.startsWith(failure.message) && <p className="wrap-anywhere">{failure.message}</p>}
      {failure.hint !== undefined && <HintText hint={failure.hint} />}
    </>
  );
}

function AnswerActions({ sessionId, turn, message, whole }: Omit<AfterProps, 'text' | 'onHeading'>) {
  return (
    <div className="flex gap-2 text-xs text-soft">
      {turn.text !== '' && <CopyButton text={whole} label={t('session.copy')} />}
      {message !== null && message.origin === undefined && <Regenerate {...{ sessionId, turn, message }} />}
    </div>
  );
}

function endIcon(status: RunStatus, isGood: boolean) {
  if (isGood) return 'check';
  return status === 'waiting' ? 'person' : 'alert';
}

/** The text that says how a turn ended. */
export function endKey({ reason, failure }: TurnState, status: RunStatus) {
  if (status === 'missing' && failure?.code === 'missing-key') return 'next.noKey';
  if (reason === 'planned') return 'turn.planned';
  if (reason === 'sandbox-lost') return 'turn.sandboxLost';
  return reason === 'crashed' ? 'turn.interrupted' : (`turn.status.${status}` as const);
}

const withKept = ['gave-up', 'cap', 'limit', 'needs-approval', 'cancelled', 'error'] as const;

/** What was kept, for an end without success. */
function Kept({ status }: { readonly status: string }) {
  const known = withKept.find((one) => one === status);
  return known === undefined ? null : <p className="text-xs text-soft">{t(`turn.kept.${known}`)}</p>;
}
