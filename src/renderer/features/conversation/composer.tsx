import type { FormEvent } from 'react';
import { useState } from 'react';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { submitOnEnter } from '../../lib/submit-on-enter.ts';
import { Notice } from '../../ui/notice.tsx';

interface ComposerProps {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly isRunning: boolean;
}

export function Composer({ client, sessionId, isRunning }: ComposerProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    // The text stays in the field until the core has it.
    void attempt(async () => {
      await client.sessions.send({ sessionId, text, options: { interactive: true } });
      setText('');
    });
  };
  return (
    <form className="composer" aria-label="Message" onSubmit={send}>
      {problem !== null && <Notice kind="error">{problem}</Notice>}
      <textarea
        rows={2}
        aria-label="Message"
        value={text}
        placeholder={isRunning ? 'Say something; it is delivered before the next step' : 'Go on with this session'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={submitOnEnter}
      />
      <div className="composer-buttons">
        <button type="submit" className="button-primary" disabled={text.trim() === ''}>
          Send
        </button>
        {isRunning && (
          <button type="button" onClick={() => void attempt(() => client.sessions.cancel({ sessionId }))}>
            Stop
          </button>
        )}
      </div>
    </form>
  );
}
