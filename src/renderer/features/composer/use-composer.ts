import { useState } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { ParsedSlash, SlashCommand } from '@shared/session/slash-commands.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { modeOfText } from '@shared/text/task-mode.ts';
import { interactiveOptions } from '../../lib/session/interactive-options.ts';
import { useAttachmentPreview } from '../../lib/input/use-attachment-preview.ts';
import type { PreviewedFiles, PreviewOptions } from '../../lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { Policy } from '../../lib/models/routing-policies.ts';
import type { SendOptions } from '../../lib/session/session-commands.ts';
import { t } from '../../lib/text/translate.ts';
import type { ComposerProps, ComposerNote } from './composer-types.ts';
import { runSlashCommand } from './run-slash-command.ts';

type ChosenModel = SendOptions & { readonly id: string };

export interface ComposerState {
  readonly policy: Policy | null;
  readonly setPolicy: (policy: Policy | null) => void;
  /** What the next message is to be taken for; null: its words say it. */
  readonly mode: TaskMode | null;
  readonly modeByWords: TaskMode;
  readonly setMode: (mode: TaskMode | null) => void;
  /** The model of the next messages, where one was chosen. */
  readonly model: string | null;
  /** The talk is summed up before the next message. */
  readonly isCompact: boolean;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** What a model would get of what is in the field. */
  readonly files: PreviewedFiles;
  readonly chooseModel: (options: SendOptions, id: string) => void;
  /** The answer to the last command, or why the last message was not sent. */
  readonly said: ComposerNote | null;
  readonly submit: (text: string) => Promise<void>;
  /** Runs a command that was chosen elsewhere, or begins it in the field. */
  readonly command: (command: SlashCommand) => void;
  readonly stop: () => Promise<void>;
}

/** What is in the field, and how it is changed. */
interface ComposerField {
  readonly text: string;
  readonly attachments: Attachments;
  /** Empties it of these words and of what was attached to them, once they are safe; what came since then stays. */
  readonly clear: (sent: string) => void;
  readonly setText: (text: string) => void;
  readonly takeAway: (text: string) => void;
  readonly chooseFiles: () => void;
}

/** Sends messages and runs commands. */
export function useComposer(props: ComposerProps, field: ComposerField): ComposerState {
  const client = useClient();
  const navigate = useNavigate();
  const { sessionId, state, onSent } = props;
  const [policy, setPolicy] = useState<Policy | null>(null);
  const [model, setModel] = useState<ChosenModel | null>(null);
  const [mode, setMode] = useState<TaskMode | null>(null);
  const [isCompact, setIsCompact] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [said, setSaid] = useState<ComposerNote | null>(null);
  const options = optionsOf(policy, model);
  const { attachments, text: shown } = field;
  const files = useAttachmentPreview({ attachments, text: shown, place: { sessionId }, options });
  const { stop, isStopping } = useStop(sessionId, sessionStatus(state) === 'running', setSaid);

  /** `typed`: the words as they stand in the field. */
  const send = async (words: string, taken: TaskMode | null, typed: string): Promise<void> => {
    if (files.isHeld) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${t('attach.heldAbout')}` });
      return;
    }
    setIsSending(true);
    try {
      const text = words.trim() === '' ? t('composer.imageOnly') : words;
      const wish = { plan: taken === 'plan', ...(taken === null ? {} : { mode: taken }) };
      const run = { ...interactiveOptions, ...options, ...wish, ...(isCompact ? { compact: true } : {}) };
      await client.sessions.send({ sessionId, text, options: run, attachments: [...attachments.list] });
      field.clear(typed);
      setIsCompact(false);
      onSent();
    } catch (error) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${failureText(error)}` });
    } finally {
      setIsSending(false);
    }
  };
  const { onInspect, onHelp } = props;
  const { setText, takeAway, chooseFiles } = field;
  const set = { setPolicy, setModel, setMode, setIsCompact, setText };
  const reach = { client, sessionId, state, navigate, onSent, onInspect, onHelp, ...set, chooseFiles, stop };
  /** Whether it is to be taken out of the field now. */
  const run = async (parsed: ParsedSlash, typed: string): Promise<boolean> => {
    setSaid(null);
    // A message that is sent while a model is looked up would still go to the one before.
    const holds = parsed.type === 'command' && parsed.name === 'model';
    if (holds) setIsSending(true);
    try {
      const outcome = await runSlashCommand(parsed, { ...reach, send: (words, taken) => send(words, taken, typed) });
      if (outcome.said !== null) setSaid(outcome.said);
      return !outcome.keepsText;
    } catch (error) {
      setSaid({ kind: 'error', text: failureText(error) });
      return false;
    } finally {
      if (holds) setIsSending(false);
    }
  };
  const submit = async (text: string): Promise<void> => {
    const parsed = parseSlash(text, 'window');
    if (parsed === null) {
      setSaid(null);
      await send(text, mode, text);
    } else if (await run(parsed, text)) takeAway(text);
  };
  const command = ({ name, argument }: SlashCommand): void => {
    // What must be named is typed; everything else runs at once, and what is in the field stays there.
    if (argument === '' || argument.startsWith('[')) void run({ type: 'command', name, rest: '' }, '');
    else setText(`/${name} `);
  };
  const chooseModel = ({ policy: where, ...named }: SendOptions, id: string): void => {
    if (where !== undefined) setPolicy(where);
    setModel({ id, ...named });
  };
  const hasFiles = state.projectPath !== null || state.changes.length > 0;
  const modes = { mode, setMode, modeByWords: modeOfText(shown, { hasFiles }) };
  const chosen = { files, chooseModel, policy, setPolicy, ...modes, model: model?.id ?? null, isCompact };
  return { ...chosen, isSending, isStopping, said, submit, command, stop };
}

function useStop(
  sessionId: string,
  isRunning: boolean,
  onSaid: (said: ComposerNote) => void,
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

function optionsOf(policy: Policy | null, model: ChosenModel | null): PreviewOptions {
  return {
    ...(policy === null ? {} : { policy }),
    ...(model?.local === undefined ? {} : { local: model.local }),
    ...(model?.cloud === undefined ? {} : { cloud: model.cloud }),
  };
}
