import type { FormEvent, KeyboardEvent, Ref } from 'react';
import { useId, useImperativeHandle, useRef, useState } from 'react';
import type { ApprovalState } from '@shared/session/session-state.ts';
import { offeredChoices, suggestedAnswer } from '@shared/tools/person-question.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
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
}

interface Reply {
  readonly say: (answer: 'allow' | 'deny', values: Record<string, string>) => Promise<void>;
  /** Why the last answer was not accepted. */
  readonly problem: string | null;
  readonly isAnswerable: boolean;
}

function useReply(sessionId: string, approvalId: string): Reply {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isAnswered, setIsAnswered] = useState(false);
  const isAnswerable = useIsAnswerable() && !isAnswered;
  const say = async (answer: 'allow' | 'deny', values: Record<string, string>): Promise<void> => {
    if (!isAnswerable) return;
    setProblem(null);
    setIsAnswered(true);
    try {
      await client.sessions.approve({ sessionId, approvalId, answer, ...(answer === 'deny' ? {} : { values }) });
    } catch (error) {
      setIsAnswered(false);
      setProblem(`${t('approval.failed')} ${failureText(error)}`);
    }
  };
  return { say, problem, isAnswerable };
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
export function AgentQuestion({ sessionId, approval, asker, handle }: AgentQuestionProps) {
  const { approvalId, text = '', form = [], reason = '' } = approval;
  const { say, problem, isAnswerable } = useReply(sessionId, approvalId);
  const titleId = useId();
  const [own, setOwn] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useImperativeHandle(handle, () => ({ focus: () => field.current?.focus() }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (own.trim() !== '') void say('allow', { own: own.trim() });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    void say('deny', {});
  };
  const answers = answersOf(form);
  return (
    <div className="mx-auto w-full max-w-3xl px-5 pb-3">
      {/* Escape skips the question, wherever the focus is in it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
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
    </div>
  );
}
