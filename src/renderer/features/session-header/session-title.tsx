import type { FormEvent } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { SessionPlace } from '@shared/session/session-state.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { sessionTitle } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useFocusOnce } from '../../lib/input/use-focus-once.ts';

const SessionMenu = lazy(() => import('./session-menu.tsx'));

interface SessionTitleProps {
  readonly sessionId: string;
  readonly title: string;
  readonly place: { readonly short: string; readonly whole: string };
  /** Whether it changed files of a project. */
  readonly hasChanges: boolean;
  readonly organized: SessionPlace;
  readonly isRenaming: boolean;
  readonly onRename: (isRenaming: boolean) => void;
  readonly onPin: () => void;
  readonly onArchive: () => void;
  readonly onTag: () => void;
}

/** The name and place of a session, and the menu of actions for it. */
export function SessionTitle(props: SessionTitleProps) {
  const { sessionId, title, place, hasChanges, organized, isRenaming, onRename } = props;
  const facts = [
    place.short,
    ...(organized.isArchived ? [t('sessions.archived')] : []),
    ...organized.tags.map((tag) => `#${tag}`),
  ];
  return (
    <>
      <div className="min-w-0 flex-1">
        {isRenaming ? (
          <RenameForm sessionId={sessionId} title={title} onDone={() => onRename(false)} />
        ) : (
          <h1 className="truncate text-sm leading-6 font-semibold" title={sessionTitle(title)}>
            {sessionTitle(title)}
          </h1>
        )}
        <p className="truncate text-sm text-soft" title={place.whole}>
          {facts.join(' · ')}
        </p>
      </div>
      <Suspense fallback={<span className="size-8" />}>
        <SessionMenu
          {...{ sessionId, hasChanges, organized }}
          onRename={() => onRename(true)}
          onPin={props.onPin}
          onArchive={props.onArchive}
          onTag={props.onTag}
        />
      </Suspense>
    </>
  );
}

interface RenameFormProps {
  readonly sessionId: string;
  readonly title: string;
  readonly onDone: () => void;
}

/** Enter saves the name. Escape, or leaving the field, discards it. */
function RenameForm({ sessionId, title, onDone }: RenameFormProps) {
  const client = useClient();
  const [text, setText] = useState(title);
  const field = useFocusOnce<HTMLInputElement>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const next = text.trim();
    try {
      if (next !== '' && next !== title) await client.sessions.rename({ sessionId, title: next });
      onDone();
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input
        type="text"
        aria-label={t('menu.title')}
        maxLength={200}
        value={text}
        ref={field}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={onDone}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
        }}
        className="h-6 w-full rounded border border-line-strong bg-raised px-1 text-sm font-semibold"
      />
    </form>
  );
}
