import type { FormEvent, KeyboardEvent, Ref } from 'react';
import { useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import type { ApprovalState } from '@shared/session/session-state.ts';
import { offeredChoices, suggestedAnswer } from '@shared/tools/person-question.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { useIsAnswerable } from '../../lib/input/use-is-answerable.ts';
import type { QuestionHandle } from '../../lib/session/question-handle.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { inputClass } from '../../ui/controls/field.tsx';
import { Markdown } from '../../ui/content/markdown.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface AgentQuestionProps {
  readonly sessionId: string;
  readonly approval: ApprovalState;
  /** The name of the agent that asks; null when it is this session's own. */
  readonly asker: string | null;
  readonly handle: Ref<QuestionHandle>;
  /** Gets the words that were typed and not sent when the question goes. False: there is no field to put them into. */
  readonly onUnsent: (words: string) => boolean;
}

interface Reply {
  /** False: the answer was not accepted. */
  readonly say: (answer: 'allow' | 'deny', values: Record<string, string>) => Promise<boolean>;
  /** Why the last answer was not accepted. */
  readonly problem: string | null;
  readonly isAnswerable: boolean;
}

function useReply(sessionId: string, approvalId: string): Reply {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isAnswered, setIsAnswered] = useState(false);
  const isAnswerable = useIsAnswerable() && !isAnswered;
  const say: Reply['say'] = async (answer, values) => {
    if (!isAnswerable) return false;
    setProblem(null);
    setIsAnswered(true);
    try {
      await client.sessions.approve({ sessionId, approvalId, answer, ...(answer === 'deny' ? {} : { values }) });
      return true;
    } catch (error) {
      setIsAnswered(false);
      setProblem(`${t('approval.failed')} ${failureText(error)}`);
      return false;
    }
  };
  return { say, problem, isAnswerable };
}

/** Words of your own. They stay when you look at another session, and are handed on when the question goes without them. */
function useOwnWords(approvalId: string, onUnsent: AgentQuestionProps['onUnsent']) {
  const [own, setOwn] = useDraft(`question:${approvalId}`);
  const isSent = useRef(false);
  const leave = useStableCallback(() => {
    if (isSent.current || (own.trim() !== '' && onUnsent(own.trim()))) setOwn('');
  });
  useEffect(() => leave, [leave]);
  const send = async (say: Reply['say']): Promise<void> => {
    // The question may be gone before the reply comes.
    isSent.current = true;
    isSent.current = await say('allow', { own: own.trim() });
  };
  return { own, setOwn, send };
}

interface OfferedAnswer {
  readonly values: Record<string, string>;
  readonly title: string;
  readonly isSuggested: boolean;
}

/** The answers that one click gives: the choices, and a suggestion that is none of them. */
function answersOf(form: ServerForm): readonly OfferedAnswer[] {
  const suggested = suggestedAnswer({ form });
  const choices = offeredChoices({ form }).map(({ value, title }) => ({
    values: { choice: value },
    title,
    isSuggested: value === suggested,
  }));
  if (suggested === null || choices.some(({ isSuggested }) => isSuggested)) return choices;
  return [...choices, { values: { own: suggested }, title: suggested, isSuggested: true }];
}

/** A question of the agent: one click on a choice, or words of your own. Escape skips it. */
export function AgentQuestion({ sessionId, approval, asker, handle, onUnsent }: AgentQuestionProps) {
  const { approvalId, text = '', form = [], reason = '' } = approval;
  const { say, problem, isAnswerable } = useReply(sessionId, approvalId);
  const titleId = useId();
  const { own, setOwn, send } = useOwnWords(approvalId, onUnsent);
  const field = useRef<HTMLInputElement>(null);
  useImperativeHandle(handle, () => ({ focus: () => field.current?.focus() }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (own.trim() !== '' && isAnswerable) void send(say);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    void say('deny', {});
  };
  const answers = answersOf(form);
  return (
    // Escape skips the question, wherever the focus is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="alertdialog"
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-2.5 rounded-xl border border-line-strong bg-raised p-4 shadow-float"
    >
      <div className="flex items-center gap-2">
        <Icon name="person" className="size-4 text-soft" />
        <h2 id={titleId} className="flex-1 text-sm font-semibold">
          {asker === null ? t('question.label') : t('agents.asks', { name: asker })}
        </h2>
      </div>
      <div className="max-h-60 overflow-y-auto text-sm">
        <Markdown text={text} />
      </div>
      {answers.length > 0 && (
        <div className="flex max-h-60 flex-wrap gap-2 overflow-y-auto">
          {answers.map(({ values, title, isSuggested }) => (
            <Button key={title} aria-disabled={!isAnswerable} onClick={() => void say('allow', values)}>
              <span className="min-w-0 text-left break-words whitespace-normal">
                {isSuggested ? t('question.suggested', { answer: seenWords(title) }) : seenWords(title)}
              </span>
            </Button>
          ))}
        </div>
      )}
      {reason !== '' && <p className="text-sm text-soft">{reason}</p>}
      {problem !== null && <Problem text={problem} />}
      <form onSubmit={submit} className="flex items-center gap-2">
        <input
          ref={field}
          type="text"
          aria-label={t('question.own')}
          placeholder={t(answers.length > 0 ? 'question.another' : 'question.own')}
          autoComplete="off"
          value={own}
          onChange={(event) => setOwn(event.target.value)}
          className={`${inputClass} h-8 min-w-0 flex-1`}
        />
        <Button type="submit" look="primary" disabled={own.trim() === ''} aria-disabled={!isAnswerable}>
          {t('question.answer')}
        </Button>
        <Button look="quiet" aria-disabled={!isAnswerable} onClick={() => void say('deny', {})}>
          {t('question.skip')}
        </Button>
      </form>
    </div>
  );
}
