import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { interactiveOptions } from '../../../lib/session/interactive-options.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { keptOptions } from '../../../lib/models/session-choice.ts';
import { forkSession } from '../../../lib/session/session-commands.ts';
import { submitOnEnter } from '../../../lib/input/submit-on-enter.ts';
import { sizedByText, textRows } from '../../../lib/drawing/field-rows.ts';
import { t } from '../../../lib/text/translate.ts';
import { useFocusOnce } from '../../../lib/input/use-focus-once.ts';
import { AttachmentList } from '../../../ui/content/attachment-list.tsx';
import { RestoreButton } from '../restore/restore-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { CopyButton } from '../../../ui/controls/copy-button.tsx';

interface MessageActionsProps {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly isDropped: boolean;
  readonly sessionId: string;
  readonly messageId: string;
  readonly onEdit: () => void;
  /** Always visible, unlike the actions that appear when the pointer is over the message. */
  readonly children: ReactNode;
}

/** Actions below a message: copy it, edit it, and send it again if nobody worked on it. */
export function MessageActions(props: MessageActionsProps) {
  const { text, attachments, isDropped, sessionId, messageId, onEdit, children } = props;
  const client = useClient();
  const send = async (): Promise<void> => {
    try {
      await client.sessions.send({
        sessionId,
        text,
        options: { ...interactiveOptions, ...keptOptions(sessionId) },
        attachments: [...attachments],
      });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  return (
    <div className="mt-0.5 -mb-1 flex items-center justify-end gap-1">
      <div className="flex items-center gap-1 opacity-0 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 group-data-[dropped=true]/message:opacity-100">
        {isDropped && <span className="mr-1 text-xs text-warn">{t('message.dropped')}</span>}
        {isDropped && (
          <Button size="small" onClick={() => void send()}>
            {t('message.again')}
          </Button>
        )}
        <CopyButton text={text} label={t('session.copy')} />
        <Button size="small" look="quiet" onClick={onEdit}>
          {t('message.edit')}
        </Button>
        {!isDropped && <RestoreButton {...{ sessionId }} checkpoint={messageId} isMark />}
      </div>
      {children}
    </div>
  );
}

interface EditMessageProps {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly onDone: () => void;
}

/** Edits a message in a fork that begins where the message was. This session keeps the original and its results. */
export function EditMessage({ sessionId, messageId, text, attachments, onDone }: EditMessageProps) {
  const reach = { client: useClient(), navigate: useNavigate() };
  const [next, setNext] = useState(text);
  const [given, setGiven] = useState(attachments);
  const field = useFocusOnce<HTMLTextAreaElement>();
  const [isSending, setIsSending] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (next.trim() === '' || isSending) return;
    setIsSending(true);
    const isDone = await forkSession(
      reach,
      sessionId,
      { before: messageId },
      {
        text: next,
        options: {},
        attachments: given,
        isBranch: true,
      },
    );
    setIsSending(false);
    if (isDone) onDone();
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-6 mb-3 ml-auto flex w-full max-w-[85%] flex-col gap-2">
      <textarea
        aria-label={t('message.label')}
        rows={textRows(next, 2, 14)}
        value={next}
        ref={field}
        onChange={(event) => setNext(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
          else submitOnEnter(event);
        }}
        className={`w-full resize-none rounded-xl border border-line-strong bg-raised px-4 py-2.5 ${sizedByText(next)}`}
      />
      <AttachmentList attachments={given} onRemove={(one) => setGiven(given.filter((other) => other !== one))} />
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto text-xs text-soft">{t('message.editHint')}</span>
        <Button size="small" onClick={onDone}>
          {t('message.cancel')}
        </Button>
        <Button size="small" type="submit" look="primary" disabled={next.trim() === '' || isSending}>
          {t('message.resend')}
        </Button>
      </div>
    </form>
  );
}
