import { useEffect, useRef, useState } from 'react';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** Each can be answered by a small model without a network, a folder or a sandbox. */
const examples = ['first.example.git', 'first.example.regex', 'first.example.email'] as const;

interface ExampleQuestionsProps {
  /** There is a model that can answer. */
  readonly isReady: boolean;
  /** Asks in a new session and shows it. */
  readonly onAsk: (text: string, signal: AbortSignal) => Promise<void>;
}

/** A click is a first question, and its answer is the next thing that is seen. */
export function ExampleQuestions({ isReady, onAsk }: ExampleQuestionsProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const ask = async (text: string): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    setAsked(text);
    setProblem(null);
    try {
      await onAsk(text, signal);
    } catch (error) {
      if (!signal.aborted) setProblem(failureText(error));
    }
    setAsked(null);
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">{t(isReady ? 'first.examples' : 'first.examples.later')}</p>
      <div className="flex flex-wrap gap-2">
        {examples.map((key) => (
          <Button
            key={key}
            disabled={!isReady || asked !== null}
            className="max-w-full"
            onClick={() => void ask(t(key))}
          >
            <span className="truncate">{t(key)}</span>
          </Button>
        ))}
      </div>
      {problem !== null && <Problem text={problem} />}
    </div>
  );
}
