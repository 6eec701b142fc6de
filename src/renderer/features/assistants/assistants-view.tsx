import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Assistant, BrokenAssistant } from '@shared/session/assistants.ts';
import { mostAssistantCharacters } from '@shared/session/assistants.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { readStoredText, writeStoredText } from '../../lib/window/stored-value.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import type { AssistantDraft } from './assistant-draft.ts';
import { copyOf, draftOf, draftOfFile, isSameDraft, keptDraft, newDraft } from './assistant-draft.ts';
import { AssistantForm } from './assistant-form.tsx';

/** An unsaved draft survives a change of view and a restart. */
const draftKey = 'dewpoint-draft:assistant';

/** The user's assistants: write, change, copy, share and delete them here. */
export default function AssistantsView() {
  const client = useClient();
  const isRefused = useIsCommandRefused('assistants.save');
  const list = useQuery({
    queryKey: ['assistants'],
    queryFn: ({ signal }) => client.assistants.list(undefined, { signal }),
    staleTime: 2000,
  });
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-5 px-5 py-8">
        <ViewHeader title={t('assistants.title')} text={t('assistants.about')} />
        {isRefused && <ViewOnly text={t('assistants.refused')} />}
        {list.error !== null && <Problem text={failureText(list.error)} onRetry={list.refetch} />}
        {list.data !== undefined && <Editor {...list.data} isRefused={isRefused} />}
      </div>
    </div>
  );
}

interface EditorProps {
  readonly folder: string;
  readonly assistants: readonly Assistant[];
  readonly broken: readonly BrokenAssistant[];
  readonly isRefused: boolean;
}

interface Said {
  readonly kind: 'info' | 'error';
  readonly text: string;
}

/** The draft in the form, kept until it is saved, and the question before it would be lost. */
function useShownDraft(assistants: readonly Assistant[]) {
  const first = assistants[0];
  const [draft, setKept] = useState<AssistantDraft>(
    () => keptDraft(readStoredText(draftKey)) ?? (first === undefined ? newDraft : draftOf(first)),
  );
  const [said, setSaid] = useState<Said | null>(null);
  /** What the form shows next, once the user agrees to lose the changes. */
  const [next, setNext] = useState<{ readonly draft: AssistantDraft; readonly said: Said | null } | null>(null);
  const saved = assistants.find(({ name }) => name === draft.saved);
  const before = saved === undefined ? newDraft : draftOf(saved);
  const isDirty = !isSameDraft(draft, before);
  const change = (changed: AssistantDraft): void => {
    setKept(changed);
    const hasWords = !isSameDraft(changed, before);
    writeStoredText(draftKey, hasWords ? JSON.stringify(changed) : '');
  };
  const show = (shown: AssistantDraft, about: Said | null = null): void => {
    setNext(null);
    setSaid(about);
    setKept(shown);
    // A new assistant with some text is kept, too.
    writeStoredText(draftKey, shown.saved === null && !isSameDraft(shown, newDraft) ? JSON.stringify(shown) : '');
  };
  const ask = (shown: AssistantDraft, about: Said | null = null): void => {
    if (isDirty) setNext({ draft: shown, said: about });
    else show(shown, about);
  };
  return { draft, said, next, setNext, setSaid, change, show, ask };
}

function Editor({ folder, assistants, broken, isRefused }: EditorProps) {
  const { draft, said, next, setNext, setSaid, change, show, ask } = useShownDraft(assistants);
  const names = assistants.map(({ name }) => name);
  const take = async (file: File): Promise<void> => {
    if (file.size > mostAssistantCharacters * 5)
      return setSaid({ kind: 'error', text: t('assistants.tooLarge', { name: file.name }) });
    const read = draftOfFile(file.name, await file.text());
    if (typeof read === 'string')
      return setSaid({ kind: 'error', text: t('assistants.bad.file', { name: file.name, why: seenWords(read) }) });
    ask(read, { kind: 'info', text: t('assistants.taken', { name: file.name }) });
  };
  return (
    <div className="grid gap-6 md:grid-cols-[14rem_1fr]">
      <div className="flex min-w-0 flex-col gap-3">
        <Names
          assistants={assistants}
          chosen={draft.saved}
          isRefused={isRefused}
          onChoose={(one) => ask(one === null ? newDraft : draftOf(one))}
          onFile={(file) => void take(file)}
        />
        {broken.map(({ name, why }) => (
          <p key={name} className="text-xs wrap-anywhere text-warn">
            {t('assistants.broken', { name: seenName(name), why: seenWords(why) })}
          </p>
        ))}
        <p className="text-xs wrap-anywhere text-soft">{t('assistants.folder', { folder: folderText(folder) })}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        {next !== null && (
          <div ref={reveal}>
            <Notice kind="warning">
              <p>{t('assistants.unsaved')}</p>
              <p className="mt-1.5 flex flex-wrap gap-2">
                <Button size="small" onClick={() => setNext(null)}>
                  {t('assistants.keep')}
                </Button>
                <Button size="small" look="danger" onClick={() => show(next.draft, next.said)}>
                  {t('assistants.discard')}
                </Button>
              </p>
            </Notice>
          </div>
        )}
        {said !== null && (
          <div key={said.text} ref={reveal}>
            {said.kind === 'error' ? <Problem text={said.text} /> : <Notice kind="info">{said.text}</Notice>}
          </div>
        )}
        <AssistantForm
          key={draft.saved ?? ''}
          draft={draft}
          isRefused={isRefused}
          others={names.filter((name) => name !== draft.saved)}
          onChange={change}
          onCopy={() => ask(copyOf(draft, names))}
          onSaved={(assistant) => show(draftOf(assistant), { kind: 'info', text: t('assistants.saved') })}
          onRemoved={() => show(newDraft)}
        />
      </div>
    </div>
  );
}

/** Scrolls to the message above the form, because the form is taller than most windows. */
function reveal(said: HTMLElement | null): void {
  said?.scrollIntoView({ block: 'nearest' });
}

interface NamesProps {
  readonly assistants: readonly Assistant[];
  readonly chosen: string | null;
  readonly isRefused: boolean;
  /** Null: a new one. */
  readonly onChoose: (assistant: Assistant | null) => void;
  readonly onFile: (file: File) => void;
}

function Names({ assistants, chosen, isRefused, onChoose, onFile }: NamesProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <div className="flex flex-wrap gap-2" hidden={isRefused}>
        <Button size="small" onClick={() => onChoose(null)}>
          <Icon name="plus" className="size-3.5" /> {t('assistants.new')}
        </Button>
        <Button size="small" look="quiet" onClick={() => picker.current?.click()}>
          {t('assistants.take')}
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          tabIndex={-1}
          accept=".md,.markdown,.txt"
          aria-label={t('assistants.take')}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) onFile(file);
            // Lets the user choose the same file again.
            target.value = '';
          }}
        />
      </div>
      {assistants.length === 0 ? (
        <p className="text-sm text-soft">{t(isRefused ? 'assistants.empty.refused' : 'assistants.empty')}</p>
      ) : (
        <ul aria-label={t('assistants.list')} className="flex max-h-96 flex-col gap-0.5 overflow-y-auto">
          {assistants.map((assistant) => (
            <li key={assistant.name}>
              <button
                type="button"
                aria-pressed={chosen === assistant.name}
                onClick={() => onChoose(assistant)}
                className="flex w-full min-w-0 flex-col rounded-md px-2.5 py-1.5 text-left hover:bg-chosen aria-pressed:bg-chosen"
              >
                <span className="w-full truncate font-semibold">{seenName(assistant.name)}</span>
                <span className="w-full truncate text-xs text-soft">
                  {seenWords(assistant.about ?? assistant.text).slice(0, 120)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
