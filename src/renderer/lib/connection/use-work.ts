import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { failureText } from './failure-text.ts';

export interface Work {
  readonly isBusy: boolean;
  readonly problem: string | null;
  /** False: it failed or was cancelled; `problem` says why. */
  readonly run: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<boolean>;
  /** Also forgets the problem. */
  readonly cancel: () => void;
}

/** Runs one long task at a time. Afterwards, reloads what `subject` names, whatever the result. */
export function useWork(subject: string): Work {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run: Work['run'] = async (work) => {
    const controller = new AbortController();
    stop.current = controller;
    setBusy(true);
    setProblem(null);
    try {
      await work(controller.signal);
      return true;
    } catch (error) {
      if (!controller.signal.aborted) setProblem(failureText(error));
      return false;
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: [subject] });
    }
  };
  const cancel = (): void => {
    stop.current?.abort();
    setProblem(null);
  };
  return { isBusy, problem, run, cancel };
}
