import { useState } from 'react';
import type { Attachment } from '@shared/attachments.ts';
import { sessionStatus } from '@shared/session-state.ts';
import { parseSlash } from '@shared/slash-commands.ts';
import { attended } from '../../lib/attended.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { useNavigate } from '../../lib/navigation.ts';
import type { Policy } from '../../lib/policies.ts';
import type { SendOptions } from '../../lib/session-commands.ts';
import { t } from '../../lib/texts.ts';
import type { ComposerProps, Said } from './composer-types.ts';
import { runSlash } from './run-slash.ts';

type ChosenModel = SendOptions & { readonly id: string };

export interface ComposerState {
  readonly policy: Policy | null;
  readonly setPolicy: (policy: Policy | null) => void;
  readonly isPlan: boolean;
  readonly setIsPlan: (isPlan: boolean) => void;
  /** The model of the next messages, where one was chosen. */
  readonly model: string | null;
  /** The talk is summed up before the next message. */
  readonly isCompact: boolean;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** The answer to the last command, or why the last message was not sent. */
  readonly said: Said | null;
  readonly submit: (text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What is in the field, and how it is changed. */
interface ComposerField {
  readonly attachments: readonly Attachment[];
  /** Empties it, once what it held is safe. */
  readonly clear: () => void;
  readonly setText: (text: string) => void;
  readonly chooseFiles: () => void;
}

/** Sends messages and runs commands. */
export function useComposer(props: ComposerProps, field: ComposerField): ComposerState {
  const client = useClient();
  const navigate = useNavigate();
  const { sessionId, state, onSent } = props;
  const [policy, setPolicy] = useState<Policy | null>(null);
  const [model, setModel] = useState<ChosenModel | null>(null);
  const [isPlan, setIsPlan] = useState(false);
  const [isCompact, setIsCompact] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [said, setSaid] = useState<Said | null>(null);
  const { stop, isStopping } = useStop(sessionId, sessionStatus(state) === 'running', setSaid);

  const send = async (words: string, plan: boolean): Promise<void> => {
    setIsSending(true);
    try {
      const text = words.trim() === '' ? t('composer.imageOnly') : words;
      const options = { ...optionsOf(policy, model), plan, ...(isCompact ? { compact: true } : {}) };
      await client.sessions.send({ sessionId, text, options, attachments: [...field.attachments] });
      field.clear();
      setIsCompact(false);
      onSent();
    } catch (error) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${failureText(error)}` });
    } finally {
      setIsSending(false);
    }
  };
  const { onInspect, onHelp } = props;
  const { setText, chooseFiles } = field;
  const set = { setPolicy, setModel, setIsCompact, setText };
  const reach = { client, sessionId, state, navigate, onSent, onInspect, onHelp, ...set, chooseFiles, send, stop };
  const submit = async (text: string): Promise<void> => {
    setSaid(null);
    const command = parseSlash(text, 'window');
    if (command === null) return send(text, isPlan);
    try {
      const outcome = await runSlash(command, reach);
      if (outcome.said !== null) setSaid(outcome.said);
      if (!outcome.keepsText) setText('');
    } catch (error) {
      setSaid({ kind: 'error', text: failureText(error) });
    }
  };
  const chosen = { policy, setPolicy, isPlan, setIsPlan, model: model?.id ?? null, isCompact };
  return { ...chosen, isSending, isStopping, said, submit, stop };
}

function useStop(
  sessionId: string,
  isRunning: boolean,
  onSaid: (said: Said) => void,
): Pick<ComposerState, 'stop' | 'isStopping'> {
  const client = useClient();
  const [isAsked, setIsAsked] = useState(false);
  if (isAsked && !isRunning) setIsAsked(false);
  const stop = async (): Promise<void> => {
    setIsAsked(true);
    try {
      await client.sessions.cancel({ sessionId });
    } catch (error) {
      setIsAsked(false);
      onSaid({ kind: 'error', text: failureText(error) });
    }
  };
  return { stop, isStopping: isAsked && isRunning };
}

function optionsOf(policy: Policy | null, model: ChosenModel | null) {
  return {
    ...attended,
    ...(policy === null ? {} : { policy }),
    ...(model?.local === undefined ? {} : { local: model.local }),
    ...(model?.cloud === undefined ? {} : { cloud: model.cloud }),
  };
}
