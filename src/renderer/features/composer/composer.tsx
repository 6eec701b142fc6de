import type { FormEvent, Ref } from 'react';
import { memo, useImperativeHandle, useRef } from 'react';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { SlashCommand } from '@shared/session/slash-commands.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { Policy } from '../../lib/models/routing-policies.ts';
import { choosablePolicies } from '../../lib/models/routing-policies.ts';
import { t } from '../../lib/text/translate.ts';
import { useAttachments } from '../../lib/input/use-attachments.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ModeChoice } from '../../ui/controls/mode-choice.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import type { MessageFieldHandle } from '../../ui/controls/message-field.tsx';
import { MessageField } from '../../ui/controls/message-field.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ComposerProps } from './composer-types.ts';
import type { ComposerState } from './use-composer.ts';
import { LastPlan } from './plan-editor.tsx';
import { useComposer } from './use-composer.ts';
import { useSlashMenu } from './use-slash-menu.tsx';

export interface ComposerHandle {
  readonly focus: () => void;
  /** As if it had been typed; what is in the field stays there. */
  readonly command: (command: SlashCommand) => void;
}

/** Where the person writes: messages, commands, files, and messages for an agent that works. Not drawn again with words that stream in. */
export const Composer = memo(function Composer(props: ComposerProps & { readonly handle: Ref<ComposerHandle> }) {
  const { sessionId, state, handle } = props;
  const isRunning = sessionStatus(state) === 'running';
  const [text, setText, takeAway] = useDraft(sessionId);
  const attachments = useAttachments(sessionId, { sessionId });
  const field = useRef<MessageFieldHandle>(null);
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
  });
  const menu = useSlashMenu(text, setText);
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.focus(),
    command: (command) => {
      composer.command(command);
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
      {composer.said?.kind === 'error' && <Problem text={composer.said.text} className="mb-2" />}
      {composer.said?.kind === 'info' && (
        <Notice kind="info" className="mb-2">
          {composer.said.text}
        </Notice>
      )}
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
            isRunning={isRunning}
            isEmpty={!hasWords || attachments.isBusy}
            isHeld={isHeld}
          />
        </MessageField>
      </form>
    </div>
  );
});

interface ToolbarProps {
  readonly composer: ComposerState;
  readonly isRunning: boolean;
  readonly isEmpty: boolean;
  /** Something about its files is to be decided first. */
  readonly isHeld: boolean;
}

function Toolbar({ composer, isRunning, isEmpty, isHeld }: ToolbarProps) {
  return (
    <>
      <PolicyChoice policy={composer.policy} onChange={composer.setPolicy} />
      <ModeChoice chosen={composer.mode} byWords={composer.modeByWords} onChange={composer.setMode} />
      {composer.model !== null && (
        <span className="max-w-48 truncate text-xs text-soft">{seenName(composer.model)}</span>
      )}
      {composer.isCompact && <span className="text-xs text-soft">{t('composer.compact')}</span>}
      <span className="flex-1" />
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

interface PolicyChoiceProps {
  readonly policy: Policy | null;
  readonly onChange: (policy: Policy | null) => void;
}

function PolicyChoice({ policy, onChange }: PolicyChoiceProps) {
  return (
    <select
      aria-label={t('composer.where')}
      title={t('composer.where')}
      value={policy ?? ''}
      onChange={({ target }) => onChange(choosablePolicies.find((one) => one === target.value) ?? null)}
      className="h-7 rounded-md bg-transparent px-1 text-xs text-soft hover:bg-chosen hover:text-ink"
    >
      <option value="">{t('composer.where.settings')}</option>
      {choosablePolicies.map((one) => (
        <option key={one} value={one}>
          {t(`composer.where.${one}`)}
        </option>
      ))}
    </select>
  );
}
