import type { FormEvent, Ref, RefObject } from 'react';
import { lazy, memo, Suspense, useImperativeHandle, useRef, useState } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import { waitingTurn } from '@shared/session/waiting-turn.ts';
import type { SlashCommand } from '@shared/session/slash-commands.ts';
import { t } from '../../lib/text/translate.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useAttachments } from '../../lib/input/use-attachments.ts';
import type { TakenBack } from '../../lib/input/field-of-session.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { useHeldSend } from '../../lib/input/use-held-send.ts';
import { useProjectKey } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { AssistantChoice } from '../../ui/controls/assistant-choice.tsx';
import { ModeChoice } from '../../ui/controls/mode-choice.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import type { MessageFieldHandle } from '../../ui/controls/message-field.tsx';
import { ExpectedMessage } from '../../ui/figures/expected-ways.tsx';
import { MessageField } from '../../ui/controls/message-field.tsx';
import { AskOthersButton, AskOthersList } from '../../ui/model-picker/ask-others.tsx';
import type { ModelPickerHandle } from '../../ui/model-picker/model-picker.tsx';
import { ModelPicker } from '../../ui/model-picker/model-picker.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ComposerProps } from './composer-types.ts';
import type { ComposerState } from './use-composer.ts';
import { ContextMeter, ContextWarning } from './context-meter.tsx';
import { LastPlan } from './plan-editor.tsx';
import { useComposer } from './use-composer.ts';
import { useSlashMenu } from './use-slash-menu.tsx';

const TemplateEditor = lazy(() => import('./template-editor.tsx'));

export interface ComposerHandle {
  readonly focus: () => void;
  /** Runs a command as if it were typed. The text in the field stays. */
  readonly command: (command: SlashCommand) => void;
  /** Adds words after the text in the field. */
  readonly add: (words: string) => void;
  /** Puts a message back before the text in the field. */
  readonly takeBack: (taken: TakenBack) => void;
}

/**
 * Where the user writes messages and commands and attaches files, also while an agent works. Does not render again for
 * streamed words.
 */
export const Composer = memo(function Composer(props: ComposerProps & { readonly handle: Ref<ComposerHandle> }) {
  const { sessionId, state, handle } = props;
  const isRunning = sessionStatus(state) === 'running';
  const [text, setText, takeAway] = useDraft(sessionId);
  const attachments = useAttachments(sessionId, { sessionId });
  const field = useRef<MessageFieldHandle>(null);
  const picker = useRef<ModelPickerHandle>(null);
  const [isEditing, setIsEditing] = useState(false);
  const project = useProjectKey(state);
  const composer = useComposer(props, {
    text,
    attachments,
    clear: (sent) => {
      takeAway(sent);
      attachments.clear(attachments.list);
    },
    setText,
    takeAway,
    chooseFiles: () => field.current?.chooseFiles(),
    chooseModel: () => picker.current?.open(),
    openTemplates: () => setIsEditing(true),
    select: (place) => field.current?.select(place),
  });
  const menu = useSlashMenu({ text, setText, fillWith: composer.fillWith, state, place: { sessionId }, attachments });
  useReach(handle, { field, composer, attachments, text, setText });
  // An image can be sent without words.
  const hasWords = text.trim() !== '' || attachments.list.length > 0 || attachments.isBusy;
  // A command may be about the thing that holds the message, so it is not held. A command with a message waits like a
  // message.
  const isCommand = text.startsWith('/') && !/^\/(?:ask|plan|work)\s/u.test(text);
  const isHeld = (composer.files.isHeld || composer.others.isHeld) && !isCommand;
  const submitNow = (): void => {
    if (text.trim() !== '' || attachments.list.length > 0) void composer.submit(text);
  };
  const hasTask = text.trim() !== '' && !isCommand && !isRunning;
  const held = useHeldSend({ text, files: composer.files, go: submitNow });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!hasWords || isHeld || composer.isSending) return;
    // The button disappears while it sends, and the user can type on at once.
    field.current?.focus();
    if (isCommand) submitNow();
    else held.send();
  };
  return (
    <div className="relative mx-auto w-full max-w-3xl px-5 pt-2 pb-3">
      <LastPlan sessionId={sessionId} state={state} onStarted={props.onSent} />
      <Above composer={composer} projectPath={project} hasTask={hasTask} />
      {isEditing && <Templates project={project} onClose={() => setIsEditing(false)} />}
      <form onSubmit={submit}>
        <MessageField
          id="composer"
          label={t('composer.label')}
          placeholder={placeholderOf(state, isRunning)}
          text={text}
          onText={setText}
          rows={[1, 10]}
          attachments={attachments}
          place={{ sessionId }}
          files={composer.files}
          onModel={composer.chooseModel}
          menu={menu}
          held={held}
          handle={field}
          end={
            <Sending
              {...{ composer, isRunning, isHeld }}
              isEmpty={!hasWords}
              onContext={() => props.onInspect('context')}
            />
          }
        >
          <Answering composer={composer} projectPath={project} picker={picker} />
        </MessageField>
      </form>
    </div>
  );
});

const placeholderOf = (state: ComposerProps['state'], isRunning: boolean): string =>
  t(isRunning ? 'composer.running' : waitingTurn(state) === null ? 'composer.idle' : 'composer.waiting');

interface Reached {
  readonly field: RefObject<MessageFieldHandle | null>;
  readonly composer: ComposerState;
  readonly attachments: Attachments;
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** What other parts of the page can do with the field. */
function useReach(handle: Ref<ComposerHandle>, { field, composer, attachments, text, setText }: Reached): void {
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.focus(),
    add: (words) => setText(joined(text.trimEnd(), words)),
    command: (command) => {
      composer.command(command);
      field.current?.focus();
    },
    takeBack: (taken) => {
      setText(joined(taken.text, text));
      attachments.addKept(taken.attachments);
      field.current?.focus();
    },
  }));
}

/** Joins two texts, if both have words. */
function joined(first: string, second: string): string {
  return [first, second].filter((one) => one.trim() !== '').join('\n\n');
}

function Templates(props: { readonly project: string | null; readonly onClose: () => void }) {
  return (
    <Suspense>
      <TemplateEditor {...props} />
    </Suspense>
  );
}

interface AboveProps {
  readonly composer: ComposerState;
  readonly projectPath: string | null;
  /** The field holds words for a new task. */
  readonly hasTask: boolean;
}

/** The messages above the field: the answer to a command, a warning that the context is full, and what to expect. */
function Above({ composer, projectPath, hasTask }: AboveProps) {
  const { said, fill, isCompact, setIsCompact, pick, mode, modeByWords, others } = composer;
  return (
    <>
      {said?.kind === 'error' && <Problem text={said.text} className="mb-2" />}
      {said?.kind === 'info' && (
        <Notice kind="info" className="mb-2">
          {said.text}
        </Notice>
      )}
      <ContextWarning about={isCompact ? 'compact' : (fill?.level ?? 'free')} onCompact={() => setIsCompact(true)} />
      <AskOthersList others={others} pick={pick} projectPath={projectPath} />
      <ExpectedMessage pick={pick} mode={mode ?? modeByWords} projectPath={projectPath} hasWords={hasTask} />
    </>
  );
}

interface AnsweringProps {
  readonly composer: ComposerState;
  readonly projectPath: string | null;
  readonly picker: Ref<ModelPickerHandle>;
}

/** Which model and which assistant get the message. */
function Answering({ composer: { pick, onPick, assistants, others }, projectPath, picker }: AnsweringProps) {
  return (
    <>
      <ModelPicker pick={pick} onPick={onPick} projectPath={projectPath} handle={picker} />
      <AssistantChoice assistants={assistants.assistants} chosen={assistants.assistant} onChange={assistants.choose} />
      <AskOthersButton others={others} pick={pick} projectPath={projectPath} />
    </>
  );
}

interface SendingProps {
  readonly composer: ComposerState;
  readonly onContext: () => void;
  readonly isRunning: boolean;
  readonly isEmpty: boolean;
  /** Something about its files must be decided first. */
  readonly isHeld: boolean;
}

/** What the message is taken for, how much room it has, and the way off. */
function Sending({ composer, onContext, isRunning, isEmpty, isHeld }: SendingProps) {
  return (
    <>
      <ModeChoice chosen={composer.mode} byWords={composer.modeByWords} onChange={composer.setMode} />
      {composer.fill !== null && <ContextMeter fill={composer.fill} onOpen={onContext} />}
      {isRunning && (
        <Button size="small" onClick={() => void composer.stop()} disabled={composer.isStopping}>
          <Icon name="stop" className="size-3.5" />
          {t(composer.isStopping ? 'composer.stopping' : 'composer.stop')}
        </Button>
      )}
      <Button
        size="small"
        type="submit"
        look="primary"
        disabled={isEmpty || isHeld || composer.isSending}
        title={composer.files.isHeld ? t('attach.heldAbout') : undefined}
      >
        {t(isRunning ? 'composer.queue' : 'composer.send')}
      </Button>
    </>
  );
}
