import { useState } from 'react';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { parseSlash, slashCommands } from '../../lib/slash-commands.ts';
import { t } from '../../lib/texts.ts';
import type { Policy } from '../../lib/policies.ts';
import type { ComposerProps, Said } from './composer-types.ts';
import { runSlash } from './run-slash.ts';

export interface ComposerState {
  readonly policy: Policy | null;
  readonly setPolicy: (policy: Policy | null) => void;
  readonly isPlan: boolean;
  readonly setIsPlan: (isPlan: boolean) => void;
  /** The local model of the next messages, where one was chosen. */
  readonly model: string | null;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** The answer to the last command, or why the last message was not sent. */
  readonly said: Said | null;
  readonly submit: (text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Sends messages and runs commands. `clear` empties the field, once what it held is safe. */
export function useComposer(props: ComposerProps, clear: () => void): ComposerState {
  const client = useClient();
  const { sessionId, isRunning, onSent } = props;
  const [policy, setPolicy] = useState<Policy | null>(null);
  const [model, setModel] = useState<string | null>(null);
  const [isPlan, setIsPlan] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [isStopAsked, setIsStopAsked] = useState(false);
  const [said, setSaid] = useState<Said | null>(null);
  if (isStopAsked && !isRunning) setIsStopAsked(false);

  const send = async (text: string, plan: boolean): Promise<void> => {
    setIsSending(true);
    try {
      await client.sessions.send({ sessionId, text, options: optionsOf(plan, policy, model) });
      clear();
      onSent();
    } catch (error) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${failureText(error)}` });
    } finally {
      setIsSending(false);
    }
  };
  const stop = async (): Promise<void> => {
    setIsStopAsked(true);
    try {
      await client.sessions.cancel({ sessionId });
    } catch (error) {
      setIsStopAsked(false);
      setSaid({ kind: 'error', text: failureText(error) });
    }
  };
  const { onInspect, onHelp } = props;
  const reach = { client, sessionId, onInspect, onHelp, setPolicy, setModel, send, stop };
  const submit = async (text: string): Promise<void> => {
    setSaid(null);
    const command = parseSlash(text);
    if (command === null) return send(text, isPlan);
    try {
      const answer = await runSlash(command.name, command.rest, reach);
      if (answer !== null) setSaid(answer);
      const isKnown = slashCommands.some(({ name }) => name === command.name);
      if (isKnown && command.name !== 'plan' && answer?.kind !== 'error') clear();
    } catch (error) {
      setSaid({ kind: 'error', text: failureText(error) });
    }
  };
  return {
    policy,
    setPolicy,
    isPlan,
    setIsPlan,
    model,
    isSending,
    isStopping: isStopAsked && isRunning,
    said,
    submit,
    stop,
  };
}

function optionsOf(plan: boolean, policy: Policy | null, model: string | null) {
  return {
    plan,
    interactive: true,
    ...(policy === null ? {} : { policy }),
    ...(model === null ? {} : { local: model }),
  };
}
