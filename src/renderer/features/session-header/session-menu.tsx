import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import type { SessionPlace } from '@shared/session/session-state.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { WindowDialog } from '../../lib/window/navigation.ts';
import { useNavigate, useOpenDialog } from '../../lib/window/navigation.ts';
import {
  deleteSession,
  downloadForms,
  downloadSession,
  exportSession,
  forkSession,
  openWindow,
} from '../../lib/session/session-commands.ts';
import { saveCalls } from '../../lib/session/organize-sessions.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';

interface SessionMenuProps {
  readonly sessionId: string;
  /** Whether there is something to commit. */
  readonly hasChanges: boolean;
  readonly organized: SessionPlace;
  readonly onRename: () => void;
  readonly onPin: () => void;
  readonly onArchive: () => void;
  readonly onTag: () => void;
}

/** Actions for a session as a whole. */
export default function SessionMenu({ sessionId, hasChanges, organized, ...on }: SessionMenuProps) {
  const { onRename, onPin, onArchive, onTag } = on;
  const openDialog = useOpenDialog();
  const reach = { client: useClient(), navigate: useNavigate() };
  const isWindow = useIsWindow();
  const isAskRefused = useIsCommandRefused('endpoint.askAgain');
  const isMoveRefused = useIsCommandRefused('sessions.move');
  const isEditing = useRef(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const edit = (begin: () => void): void => {
    isEditing.current = true;
    begin();
  };
  /** The item that opens it will be gone, so the button of the menu gets the focus afterwards. */
  const open = (dialog: WindowDialog): void => edit(() => openDialog(dialog, trigger.current));
  return (
    <>
      {/* A modal menu would add a style sheet to lock the page, which the policy forbids. Without a portal, it lies in a
        landmark like everything else. */}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger ref={trigger} asChild>
          <Button look="quiet" size="icon" aria-label={t('menu.session')} title={t('menu.session')}>
            <Icon name="more" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          onCloseAutoFocus={(event) => {
            // The requested field has the focus now.
            if (isEditing.current) event.preventDefault();
            isEditing.current = false;
          }}
          className="z-40 min-w-52 rounded-lg border border-line bg-raised p-1 text-sm shadow-float"
        >
          <Item label={t('menu.rename')} onSelect={() => edit(onRename)} />
          <Item label={t(organized.isPinned ? 'menu.unpin' : 'menu.pin')} onSelect={onPin} />
          <Item label={t('menu.tags')} onSelect={() => edit(onTag)} />
          <Item label={t(organized.isArchived ? 'menu.unarchive' : 'menu.archive')} onSelect={onArchive} />
          {!isMoveRefused && <Item label={t('menu.move')} onSelect={() => open({ type: 'move', sessionId })} />}
          <Item label={t('menu.fork')} onSelect={() => void forkSession(reach, sessionId, null)} />
          {!isAskRefused && (
            <Item label={t('again.menu')} onSelect={() => open({ type: 'ask-again', sessionIds: [sessionId] })} />
          )}
          {hasChanges && <Item label={t('menu.git')} onSelect={() => open({ type: 'git', sessionId })} />}
          {isWindow && <Item label={t('action.sessionWindow')} onSelect={() => void openWindow(reach, sessionId)} />}
          {isWindow ? (
            <Item label={t('menu.export')} onSelect={() => void exportSession(reach, sessionId)} />
          ) : (
            downloadForms.map((form) => (
              <Item
                key={form}
                label={t(`menu.download.${form}`)}
                onSelect={() => void downloadSession(reach, sessionId, form)}
              />
            ))
          )}
          <Item
            label={t(organized.savesCalls === true ? 'menu.unsaveCalls' : 'menu.saveCalls')}
            onSelect={() => void saveCalls(reach.client, sessionId, organized.savesCalls !== true)}
          />
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <Item label={t('menu.delete')} onSelect={() => void deleteSession(reach, sessionId)} />
        </DropdownMenu.Content>
      </DropdownMenu.Root>
    </>
  );
}

function Item({ label, onSelect }: { readonly label: string; readonly onSelect: () => void }) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className="cursor-pointer rounded-md px-2.5 py-1.5 outline-none data-[highlighted]:bg-chosen"
    >
      {label}
    </DropdownMenu.Item>
  );
}
