import { useState } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { ParsedSlash, SlashCommand } from '@shared/session/slash-commands.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { modeOfText } from '@shared/text/task-mode.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import type { MessageFieldHandle } from '../../ui/controls/message-field.tsx';
import { askBeside, showBeside } from '../../lib/models/beside.ts';
import type { AskedOthers } from '../../ui/model-picker/ask-others.tsx';
import { useAskedOthers } from '../../ui/model-picker/ask-others.tsx';
import type { AssistantChoiceState } from '../../lib/input/use-assistants.ts';
import { useAssistants } from '../../lib/input/use-assistants.ts';
import { modeOfAssistant } from '@shared/session/assistants.ts';
import { fillField, useTemplates } from '../../lib/input/use-templates.ts';
import { useAttachmentPreview } from '../../lib/input/use-attachment-preview.ts';
import type { PreviewedFiles } from '../../lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import type { ModelPick, PickedOptions } from '../../lib/models/model-options.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useProjectKey } from '../../lib/window/use-projects.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import type { ContextFill } from '../../lib/session/context-fill.ts';
import { contextFill } from '../../lib/session/context-fill.ts';
import type { SessionChoice } from '../../lib/models/session-choice.ts';
import { messageOptions, optionsOfChoice, useSessionChoice } from '../../lib/models/session-choice.ts';
import { optionsOfPick, pickedModel } from '../../lib/models/model-options.ts';
import { t } from '../../lib/text/translate.ts';
import type { ComposerProps, ComposerNote } from './composer-types.ts';
import type { SlashContext } from './run-slash-command.ts';
import { runSlashCommand } from './run-slash-command.ts';

export interface ComposerState {
  /** The model choice for the next messages. */
  readonly pick: ModelPick;
  readonly onPick: (pick: ModelPick) => void;
  /** How to read the next message; null: its own words decide. */
  readonly mode: TaskMode | null;
  readonly modeByWords: TaskMode;
  readonly setMode: (mode: TaskMode | null) => void;
  readonly assistants: AssistantChoiceState;
  /** The models that get the same question. */
  readonly others: AskedOthers;
  /** The conversation is summarized before the next message. */
  readonly isCompact: boolean;
  readonly setIsCompact: (isCompact: boolean) => void;
  /** How full the next model's context is; null when not known yet. */
  readonly fill: ContextFill | null;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** What a model would get of the message in the field. */
  readonly files: PreviewedFiles;
  readonly chooseModel: (options: PickedOptions) => void;
  /** The answer to the last command, or why the last message was not sent. */
  readonly said: ComposerNote | null;
  readonly submit: (text: string) => Promise<void>;
  /** Runs a command that was chosen elsewhere, or begins it in the field. */
  readonly command: (command: SlashCommand) => void;
  /** Fills the field with a template and the words typed after its name. The user sends it. */
  readonly fillWith: (template: PromptTemplate, typed: string) => void;
  readonly stop: () => Promise<void>;
}

/** The content of the field, and how to change it. */
interface ComposerField {
  readonly text: string;
  readonly attachments: Attachments;
  /** Removes this text and its attachments once they are safe. What was typed since then stays. */
  readonly clear: (sent: string) => void;
  readonly setText: (text: string) => void;
  readonly takeAway: (text: string) => void;
  readonly chooseFiles: () => void;
  readonly chooseModel: () => void;
  readonly openTemplates: () => void;
  readonly select: MessageFieldHandle['select'];
}

/** Sends messages and runs commands. */
export function useComposer(props: ComposerProps, field: ComposerField): ComposerState {
  const client = useClient();
  const { sessionId, state, onSent } = props;
  const [said, setSaid] = useState<ComposerNote | null>(null);
  const [choice, choose] = useSessionChoice(sessionId, state);
  const isRunning = sessionStatus(state) === 'running';
  // What is said about a task ends with it.
  if (!isRunning && said !== null && taskNotes.some((key) => said.text === t(key))) setSaid(null);
  const tell = useChoiceInTask(sessionId, setSaid);
  const chooseAndSay = (next: Partial<SessionChoice>): void => {
    choose(next);
    const isModeAlone = Object.keys(next).every((name) => name === 'mode');
    if (isRunning) void tell({ ...choice, ...next }, isModeAlone);
  };
  const setPick = (next: ModelPick): void => chooseAndSay({ pick: next });
  const change = (next: Partial<ModelPick>): void => setPick({ ...choice.pick, ...next });
  const setMode = (next: TaskMode | null): void => chooseAndSay({ mode: next });
  const assistants = useAssistants(choice, (next) => chooseAndSay({ assistant: next }));
  const { pick, assistant } = assistants;
  const { mode } = choice;
  const [isCompact, setIsCompact] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const fill = useContextFill(state, pick);
  const { attachments, text: shown } = field;
  const files = useAttachmentPreview({ attachments, text: shown, place: { sessionId }, options: optionsOfPick(pick) });
  const { stop, isStopping } = useStop(sessionId, isRunning, setSaid);
  const hasFiles = state.projectPath !== null || state.changes.length > 0;
  const modeByWords = modeOfAssistant(assistant) ?? modeOfText(shown, hasFiles);
  const others = useAskedOthers({ text: shown, mode, byWords: modeByWords, isRunning });

  /** `typed`: the text as it is in the field. */
  const send = async (words: string, taken: TaskMode | null, typed: string): Promise<void> => {
    const isAskingOthers = others.picks.length > 0;
    const refusal = whyHeld(files, isAskingOthers && (taken ?? 'ask') !== 'ask');
    if (refusal !== null) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${refusal}` });
      return;
    }
    setIsSending(true);
    try {
      const text = words.trim() === '' ? t('composer.imageOnly') : words;
      const runOf = (one: ModelPick, how = taken) => ({
        ...messageOptions({ pick: one, mode: how, assistant: assistant?.name ?? null }),
        ...(isCompact ? { compact: true } : {}),
      });
      const message = { sessionId, text, attachments: [...attachments.list] };
      if (!isAskingOthers) await client.sessions.send({ ...message, options: runOf(pick) });
      else {
        const ways = [pick, ...others.picks].map((one) => ({ pick: one, options: runOf(one, 'ask') }));
        showBeside(await askBeside(client, { ...message, mode: taken, ways }));
      }
      field.clear(typed);
      setIsCompact(false);
      onSent();
    } catch (error) {
      setSaid({ kind: 'error', text: `${t('composer.failed')} ${failureText(error)}` });
    } finally {
      setIsSending(false);
    }
  };
  const own = { assistants, change, setMode, setIsCompact, setIsSending, setSaid, stop, send };
  const commands = useCommands(props, field, own, mode);
  const chosen = {
    files,
    chooseModel: change,
    pick,
    onPick: setPick,
    mode,
    setMode,
    modeByWords,
    assistants,
    others,
    isCompact,
    setIsCompact,
    fill,
  };
  return { ...chosen, ...commands, isSending, isStopping, said, stop };
}

/** Null: the message can be sent. */
function whyHeld(
  { isHeld, isPending }: { readonly isHeld: boolean; readonly isPending: boolean },
  isWorkForOthers: boolean,
): string | null {
  if (isHeld || isPending) return t('attach.heldAbout');
  return isWorkForOthers ? t('beside.refused.work') : null;
}

function useContextFill(state: ComposerProps['state'], pick: ModelPick): ContextFill | null {
  const models = useModels().data ?? [];
  const usual = useUsualModels(useProjectKey(state));
  return contextFill(state.steps, models, usual === undefined ? null : pickedModel(pick, usual));
}

interface CommandReach extends Pick<SlashContext, 'assistants' | 'change' | 'setMode' | 'setIsCompact' | 'stop'> {
  readonly setIsSending: (isSending: boolean) => void;
  readonly setSaid: (said: ComposerNote | null) => void;
  readonly send: (words: string, taken: TaskMode | null, typed: string) => Promise<void>;
}

/** Decides whether the text in the field is a message or a command, and runs it. */
function useCommands(
  props: ComposerProps,
  field: ComposerField,
  { setIsSending, setSaid, send, ...own }: CommandReach,
  mode: TaskMode | null,
): Pick<ComposerState, 'submit' | 'command' | 'fillWith'> {
  const client = useClient();
  const navigate = useNavigate();
  const { templates } = useTemplates(useProjectKey(props.state));
  const { setText, takeAway, chooseFiles, chooseModel: openModels, openTemplates } = field;
  const reach = { ...props, ...own, client, navigate, setText, chooseFiles, openModels, openTemplates };
  /** Returns whether to remove the command from the field now. */
  const run = async (parsed: ParsedSlash, typed: string): Promise<boolean> => {
    setSaid(null);
    // A message sent while a model is looked up would still go to the previous model.
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
  const fillWith: ComposerState['fillWith'] = (template, typed) => fillField(field, template, typed);
  return {
    fillWith,
    submit: async (text) => {
      const parsed = parseSlash(text, 'window');
      const template = parsed?.type === 'unknown' ? templates.find(({ name }) => name === parsed.typed) : undefined;
      if (template !== undefined) fillWith(template, text.trim().slice(template.name.length + 1));
      else if (parsed === null) {
        setSaid(null);
        await send(text, mode, text);
      } else if (await run(parsed, text)) takeAway(text);
    },
    command: ({ name, argument }) => {
      // A command that needs a name is begun in the field. Models are picked, all others run at once; the field stays.
      if (argument === '' || argument.startsWith('[') || name === 'model')
        void run({ type: 'command', name, rest: '' }, '');
      else setText(`/${name} `);
    },
  };
}

const taskNotes = ['composer.chosenInTask', 'composer.chosenMode'] as const;

/** Hands a choice to the task that runs, and says from when on it counts. */
function useChoiceInTask(
  sessionId: string,
  onSaid: (said: ComposerNote) => void,
): (choice: SessionChoice, isMode: boolean) => Promise<void> {
  const client = useClient();
  return async (choice, isMode) => {
    try {
      await client.sessions.choose({ sessionId, chosen: optionsOfChoice(choice) });
      onSaid({ kind: 'info', text: t(isMode ? 'composer.chosenMode' : 'composer.chosenInTask') });
    } catch (error) {
      onSaid({ kind: 'error', text: failureText(error) });
    }
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
