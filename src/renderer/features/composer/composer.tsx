import type { FormEvent, Ref } from 'react';
import { memo, useImperativeHandle, useRef } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { SlashCommand } from '@shared/session/slash-commands.ts';
import { t } from '../../lib/text/translate.ts';
import { useAttachments } from '../../lib/input/use-attachments.ts';
import type { TakenBack } from '../../lib/input/field-of-session.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import type { MessageFieldHandle } from '../../ui/controls/message-field.tsx';
import { MessageField } from '../../ui/controls/message-field.tsx';
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

export interface ComposerHandle {
  readonly focus: () => void;
  /** As if it had been typed; what is in the field stays there. */
  readonly command: (command: SlashCommand) => void;
  /** Before what is in the field already. */
  readonly takeBack: (taken: TakenBack) => void;
}

/** Where the person writes: messages, commands, files, and messages for an agent that works. Not drawn again with words that stream in. */
export const Composer = memo(function Composer(props: ComposerProps & { readonly handle: Ref<ComposerHandle> }) {
  const { sessionId, state, handle } = props;
  const isRunning = sessionStatus(state) === 'running';
  const [text, setText, takeAway] = useDraft(sessionId);
  const attachments = useAttachments(sessionId, { sessionId });
  const field = useRef<MessageFieldHandle>(null);
  const picker = useRef<ModelPickerHandle>(null);
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
  });
  const menu = useSlashMenu(text, setText);
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.focus(),
    command: (command) => {
      composer.command(command);
      field.current?.focus();
    },
    takeBack: (taken) => {
      setText(text.trim() === '' ? taken.text : `${taken.text}\n\n${text}`);
      attachments.addKept(taken.attachments);
      field.current?.focus();
    },
  }));
  // An image may speak for itself.
  const hasWords = text.trim() !== '' || attachments.list.length > 0;
  // A command may be about the very thing that holds the message.
  const isHeld = composer.files.isHeld && !text.startsWith('/');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (hasWords && !isHeld && !composer.isSending && !attachments.isBusy) void composer.submit(text);
  };
  return (
    <div className="relative mx-auto w-full max-w-3xl px-5 pt-2 pb-3">
      <LastPlan sessionId={sessionId} state={state} onStarted={props.onSent} />
      <Above composer={composer} />
      <form onSubmit={submit}>
        <MessageField
          id="composer"
          label={t('composer.label')}
          placeholder={t(isRunning ? 'composer.running' : 'composer.idle')}
          text={text}
          onText={setText}
          rows={[1, 10]}
          attachments={attachments}
          place={{ sessionId }}
          files={composer.files}
          onModel={composer.chooseModel}
          menu={menu}
          handle={field}
        >
          <Toolbar
            composer={composer}
            projectPath={state.projectPath}
            onContext={() => props.onInspect('context')}
            picker={picker}
            isRunning={isRunning}
            isEmpty={!hasWords || attachments.isBusy}
            isHeld={isHeld}
          />
        </MessageField>
      </form>
    </div>
  );
});

/** What is said above the field: the answer to a command, and that the context is full. */
function Above({ composer: { said, fill, isCompact, setIsCompact } }: { readonly composer: ComposerState }) {
  return (
    <>
      {said?.kind === 'error' && <Problem text={said.text} className="mb-2" />}
      {said?.kind === 'info' && (
        <Notice kind="info" className="mb-2">
          {said.text}
        </Notice>
      )}
      {fill !== null && fill.level !== 'free' && (
        <ContextWarning level={fill.level} isCompact={isCompact} onCompact={() => setIsCompact(true)} />
      )}
    </>
  );
}

interface ToolbarProps {
  readonly composer: ComposerState;
  readonly projectPath: string | null;
  readonly onContext: () => void;
  readonly picker: Ref<ModelPickerHandle>;
  readonly isRunning: boolean;
  readonly isEmpty: boolean;
  /** Something about its files is to be decided first. */
  readonly isHeld: boolean;
}

function Toolbar({ composer, projectPath, onContext, picker, isRunning, isEmpty, isHeld }: ToolbarProps) {
  return (
    <>
      <ModelPicker pick={composer.pick} onPick={composer.onPick} projectPath={projectPath} handle={picker} />
      <label className="flex items-center gap-1.5 rounded-md px-1.5 text-xs text-soft hover:text-ink">
        <input
          type="checkbox"
          checked={composer.isPlan}
          onChange={(event) => composer.setIsPlan(event.target.checked)}
          className="size-3.5 accent-ink"
        />
        {t('composer.plan')}
      </label>
      {composer.isCompact && <span className="text-xs text-soft">{t('composer.compact')}</span>}
      <span className="flex-1" />
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
        title={isHeld ? t('attach.heldAbout') : undefined}
      >
        {t(isRunning ? 'composer.queue' : 'composer.send')}
      </Button>
    </>
  );
}
