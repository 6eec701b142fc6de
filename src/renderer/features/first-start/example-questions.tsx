import { useEffect, useRef, useState } from 'react';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** A small model can answer each of these without a network, folder or sandbox. */
const examples = ['first.example.git', 'first.example.regex', 'first.example.email'] as const;

interface ExampleQuestionsProps {
  /** Whether a model is ready to answer. */
  readonly isReady: boolean;
  /** Asks in a new session and shows it. */
  readonly onAsk: (text: string) => Promise<void>;
}

/** A click asks a first question and shows its answer. Without a model, it waits for one. */
export function ExampleQuestions({ isReady, onAsk }: ExampleQuestionsProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isAsking = useRef(false);
  // Must not stop when this unmounts, because the new session is what hides it.
  const ask = useStableCallback(async (text: string): Promise<void> => {
    if (isAsking.current) return;
    isAsking.current = true;
    setProblem(null);
    try {
      await onAsk(text);
    } catch (error) {
      setProblem(failureText(error));
    }
    isAsking.current = false;
    setChosen(null);
  });
  useEffect(() => {
    if (isReady && chosen !== null) ask(chosen);
  }, [isReady, chosen, ask]);
  const hint = isReady ? 'first.examples' : chosen === null ? 'first.examples.later' : 'first.examples.waiting';
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft" aria-live="polite">
        {t(hint)}
      </p>
      <div className="flex flex-wrap gap-2">
        {examples.map((key) => (
          <Button
            key={key}
            disabled={isReady && chosen !== null}
            aria-pressed={isReady ? undefined : chosen === t(key)}
            className="max-w-full aria-pressed:border-ink aria-pressed:bg-chosen"
            onClick={() => setChosen(chosen === t(key) ? null : t(key))}
          >
            <span className="truncate">{t(key)}</span>
          </Button>
        ))}
      </div>
      {problem !== null && <Problem text={problem} />}
    </div>
  );
}
