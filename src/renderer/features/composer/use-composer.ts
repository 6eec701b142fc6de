import { useState } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { ParsedSlash, SlashCommand } from '@shared/session/slash-commands.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import { interactiveOptions } from '../../lib/session/interactive-options.ts';
import { useAttachmentPreview } from '../../lib/input/use-attachment-preview.ts';
import type { PreviewedFiles } from '../../lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import type { ContextFill } from '../../lib/session/context-fill.ts';
import { contextFill } from '../../lib/session/context-fill.ts';
import { optionsOfPick, pickedModel } from '../../lib/models/model-options.ts';
import type { SendOptions } from '../../lib/session/session-commands.ts';
import { t } from '../../lib/text/translate.ts';
import type { ComposerProps, ComposerNote } from './composer-types.ts';
import type { SlashContext } from './run-slash-command.ts';
import { runSlashCommand } from './run-slash-command.ts';

export interface ComposerState {
  /** Where the next messages go. */
  readonly pick: ModelPick;
  readonly onPick: (pick: ModelPick) => void;
  readonly isPlan: boolean;
  readonly setIsPlan: (isPlan: boolean) => void;
  /** The talk is summed up before the next message. */
  readonly isCompact: boolean;
  readonly setIsCompact: (isCompact: boolean) => void;
  /** How full the context of the next model is; null: not known yet. */
  readonly fill: ContextFill | null;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** What a model would get of what is in the field. */
  readonly files: PreviewedFiles;
  readonly chooseModel: (options: SendOptions) => void;
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
  readonly chooseModel: () => void;
}

/** Sends messages and runs commands. */
export function useComposer(props: ComposerProps, field: ComposerField): ComposerState {
  const client = useClient();
  const { sessionId, state, onSent } = props;
  const [pick, setPick] = useState<ModelPick>({ policy: null });
  const [isPlan, setIsPlan] = useState(false);
  const [isCompact, setIsCompact] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [said, setSaid] = useState<ComposerNote | null>(null);
  const options = optionsOfPick(pick);
  const fill = useContextFill(state, pick);
  const { attachments, text: shown } = field;
  const files = useAttachmentPreview({ attachments, text: shown, place: { sessionId }, options });
  const { stop, isStopping } = useStop(sessionId, sessionStatus(state) === 'running', setSaid);

  /** `typed`: the words as they stand in the field. */
  const send = async (words: string, plan: boolean, typed: string): Promise<void> => {
    if (files.isHeld) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${t('attach.heldAbout')}` });
      return;
    }
    setIsSending(true);
    try {
      const text = words.trim() === '' ? t('composer.imageOnly') : words;
      const run = { ...interactiveOptions, ...options, plan, ...(isCompact ? { compact: true } : {}) };
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
  const change = (next: Partial<ModelPick>): void => setPick((before) => ({ ...before, ...next }));
  const own = { change, setIsCompact, setIsSending, setSaid, stop, send };
  const commands = useCommands(props, field, own, isPlan);
  const chosen = {
    files,
    chooseModel: change,
    pick,
    onPick: setPick,
    isPlan,
    setIsPlan,
    isCompact,
    setIsCompact,
    fill,
  };
  return { ...chosen, ...commands, isSending, isStopping, said, stop };
}

function useContextFill({ steps, projectPath }: ComposerProps['state'], pick: ModelPick): ContextFill | null {
  const models = useModels().data ?? [];
  const usual = useUsualModels(projectPath);
  return contextFill(steps, models, usual === undefined ? null : pickedModel(pick, usual));
}

interface CommandReach extends Pick<SlashContext, 'change' | 'setIsCompact' | 'stop'> {
  readonly setIsSending: (isSending: boolean) => void;
  readonly setSaid: (said: ComposerNote | null) => void;
  readonly send: (words: string, plan: boolean, typed: string) => Promise<void>;
}

/** What is in the field is a message or a command. */
function useCommands(
  props: ComposerProps,
  { setText, takeAway, chooseFiles, chooseModel: openModels }: ComposerField,
  { setIsSending, setSaid, send, ...own }: CommandReach,
  isPlan: boolean,
): Pick<ComposerState, 'submit' | 'command'> {
  const client = useClient();
  const navigate = useNavigate();
  const reach = { ...props, ...own, client, navigate, setText, chooseFiles, openModels };
  /** Whether it is to be taken out of the field now. */
  const run = async (parsed: ParsedSlash, typed: string): Promise<boolean> => {
    setSaid(null);
    // A message that is sent while a model is looked up would still go to the one before.
    const holds = parsed.type === 'command' && parsed.name === 'model';
    if (holds) setIsSending(true);
    try {
      const outcome = await runSlashCommand(parsed, { ...reach, send: (words, plan) => send(words, plan, typed) });
      if (outcome.said !== null) setSaid(outcome.said);
      return !outcome.keepsText;
    } catch (error) {
      setSaid({ kind: 'error', text: failureText(error) });
      return false;
    } finally {
      if (holds) setIsSending(false);
    }
  };
  return {
    submit: async (text) => {
      const parsed = parseSlash(text, 'window');
      if (parsed === null) {
        setSaid(null);
        await send(text, isPlan, text);
      } else if (await run(parsed, text)) takeAway(text);
    },
    command: ({ name, argument }) => {
      // What must be named is typed; a model is picked, everything else runs at once, and what is in the field stays there.
      if (argument === '' || argument.startsWith('[') || name === 'model')
        void run({ type: 'command', name, rest: '' }, '');
      else setText(`/${name} `);
    },
  };
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
