import type { FormEvent, ReactNode } from 'react';
import { use, useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { t } from '../../../lib/text/translate.ts';
import { firstChange } from '../../../lib/drawing/diff-rows.ts';
import { OpenFileContext } from '../../../lib/session/use-open-file.ts';
import { languageOfPath } from '../../../lib/text/code-file-name.ts';
import { inputClass } from '../../../ui/controls/field.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { DiffView } from '../../../ui/content/diff-view.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { HunkHead } from './hunk-head.tsx';
import type { ChangedFile } from '@shared/contract/sessions-contract.ts';

interface FileChangeProps {
  readonly file: ChangedFile;
  readonly isFirstOpen: boolean;
  readonly isDisabled: boolean;
  readonly isCopy: boolean;
  /** Takes or undoes the whole file, or the hunk with this index. */
  readonly onChange: (what: 'take' | 'undo', hunk?: number) => void;
  readonly isSplit: boolean;
  /** A comment of the user on a line. */
  readonly onComment: (line: number, text: string) => void;
}

export function FileChange(props: FileChangeProps) {
  const { file, isFirstOpen, isCopy, isDisabled, onChange } = props;
  const open = use(OpenFileContext);
  // Keeps its first state. If an undo closed it, the button of another file would move under the pointer.
  const [isOpen, setIsOpen] = useState(isFirstOpen);
  return (
    <section aria-label={seenName(file.path)} data-change={file.state} className="rounded-lg border border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-2.5 py-2 text-left hover:bg-sunken"
      >
        <Icon name="chevron" className={`size-3 text-soft transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{seenName(file.path)}</span>
        <span className="text-xs text-soft">
          {file.state === 'open' ? t(`changes.kind.${file.kind}`) : t(`changes.${file.state}`)}
        </span>
        <span className="font-mono text-xs tabular-nums">
          <span className="text-good">+{file.added ?? '?'}</span>{' '}
          <span className="text-bad">−{file.removed ?? '?'}</span>
        </span>
      </button>
      {(isOpen || file.state === 'undone') && (
        <div className="flex flex-col gap-2 px-2.5 pb-2.5">
          {isOpen && <Diff {...props} />}
          <div className="flex gap-2">
            {file.state === 'open' && (
              <Button size="small" disabled={isDisabled} onClick={() => onChange('take')}>
                {t(isCopy ? 'changes.take' : 'changes.review')}
              </Button>
            )}
            <Button size="small" disabled={isDisabled} onClick={() => onChange('undo')}>
              {t(undoWord(file, isCopy))}
            </Button>
            {open !== null && isThere(file) && (
              <Button size="small" look="quiet" onClick={() => open(file.path, firstChange(file.diff, file.hunks))}>
                {t('file.open')}
              </Button>
            )}
          </div>
        </div>
      )}
    </section>
  );
}

/** In a copy, the project has nothing of the file until it is applied, so there is nothing to undo there. */
function undoWord({ state, hunks = [] }: ChangedFile, isCopy: boolean): TextKey {
  if (state === 'undone') return 'changes.redo';
  const isApplied = state !== 'open' || hunks.includes('taken');
  return isCopy && !isApplied ? 'changes.discard' : 'changes.undo';
}

function isThere({ kind, state }: ChangedFile): boolean {
  return state === 'undone' ? kind !== 'added' : kind !== 'deleted';
}

function Diff({ file, isSplit, isCopy, isDisabled, onChange, onComment }: FileChangeProps) {
  const [line, setLine] = useState<number | null>(null);
  const { diff, path, hunks = [] } = file;
  if (diff === null) return <p className="text-xs text-soft">{t('step.noDiff')}</p>;
  const headOf = (place: number): ReactNode => (
    <HunkHead
      number={place + 1}
      count={hunks.length}
      state={hunks[place] ?? 'open'}
      isCopy={isCopy}
      isDisabled={isDisabled}
      onDecide={(what) => onChange(what, place)}
    />
  );
  // A single hunk is the whole file, which has its own buttons.
  const parts = hunks.length < 2 ? {} : { headOf, isUndone: (place: number) => hunks[place] === 'undone' };
  return (
    <>
      <DiffView diff={diff} language={languageOfPath(path)} isSplit={isSplit} onComment={setLine} {...parts} />
      {line !== null && (
        <LineComment
          key={line}
          line={line}
          onClose={() => setLine(null)}
          onComment={(text) => {
            onComment(line, text);
            setLine(null);
          }}
        />
      )}
    </>
  );
}

interface LineCommentProps {
  readonly line: number;
  readonly onClose: () => void;
  readonly onComment: (text: string) => void;
}

/** A comment of the user on a line. It goes into the message in the composer. */
function LineComment({ line, onClose, onComment }: LineCommentProps) {
  const [text, setText] = useState('');
  const label = t('changes.comment', { line });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onComment(text.trim());
  };
  return (
    <form aria-label={label} onSubmit={submit} className="flex flex-col gap-2 rounded-lg border border-line p-2">
      <textarea
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for by a click
        autoFocus
        aria-label={label}
        placeholder={label}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
        className={inputClass}
      />
      <div className="flex gap-2">
        <Button size="small" type="submit" look="primary" disabled={text.trim() === ''}>
          {t('changes.addComment')}
        </Button>
        <Button size="small" onClick={onClose}>
          {t('changes.noComment')}
        </Button>
      </div>
    </form>
  );
}
