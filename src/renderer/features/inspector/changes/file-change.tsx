import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { DiffView } from '../../../ui/content/diff-view.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import type { ChangedFile } from '@shared/contract/sessions-contract.ts';

interface FileChangeProps {
  readonly file: ChangedFile;
  readonly isFirstOpen: boolean;
  readonly takeWord: string;
  readonly isDisabled: boolean;
  readonly onChange: (what: 'take' | 'undo') => void;
}

export function FileChange({ file, isFirstOpen, takeWord, isDisabled, onChange }: FileChangeProps) {
  // As it was when it was first shown: closed by an undo, it would bring the button of another file under the pointer.
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
          {isOpen && <Diff file={file} />}
          <div className="flex gap-2">
            {file.state === 'open' && (
              <Button size="small" disabled={isDisabled} onClick={() => onChange('take')}>
                {takeWord}
              </Button>
            )}
            <Button size="small" disabled={isDisabled} onClick={() => onChange('undo')}>
              {t(file.state === 'undone' ? 'changes.redo' : 'changes.undo')}
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}

function Diff({ file: { diff } }: Pick<FileChangeProps, 'file'>) {
  return diff === null ? <p className="text-sm text-soft">{t('step.noDiff')}</p> : <DiffView diff={diff} />;
}
