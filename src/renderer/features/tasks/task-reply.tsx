import type { FormEvent } from 'react';
import { useState } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { currentChoice, messageOptions } from '../../lib/models/session-choice.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { inputClass } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface TaskReplyProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly onSent: () => void;
}

/** The answer to a task that ended with a question. The draft is the one of the session's own field. */
export function TaskReply({ sessionId, state, onSent }: TaskReplyProps) {
  const client = useClient();
  const [text, setText, takeAway] = useDraft(sessionId);
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '' || isSending) return;
    setIsSending(true);
    setProblem(null);
    try {
      const options = messageOptions(currentChoice(sessionId, state));
      await client.sessions.send({ sessionId, text, options, attachments: [] });
      takeAway(text);
      onSent();
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <input
          type="text"
          aria-label={t('tasks.reply')}
          placeholder={t('tasks.reply')}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={`${inputClass} h-8 min-w-0 flex-1`}
        />
        <Button type="submit" look="primary" disabled={text.trim() === '' || isSending}>
          {t('tasks.send')}
        </Button>
      </div>
      {problem !== null && <Problem text={problem} />}
    </form>
  );
}
