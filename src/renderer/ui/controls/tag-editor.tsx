import type { FormEvent, KeyboardEvent } from 'react';
import { useId, useState } from 'react';
import { readTag } from '@shared/session/session-tags.ts';
import { useFocusOnce } from '../../lib/input/use-focus-once.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from './button.tsx';
import { inputClass } from './field.tsx';

interface TagEditorProps {
  /** All tags in use, most used first. */
  readonly known: readonly string[];
  /** Tags that all chosen sessions have. */
  readonly all: readonly string[];
  /** Tags that only some of them have. */
  readonly some?: readonly string[];
  readonly onAdd: (tag: string) => void;
  readonly onRemove: (tag: string) => void;
  readonly onDone: () => void;
}

/** Typing finds more. */
const mostShown = 16;

const none: readonly string[] = [];

/** Adds and removes tags: a click on an existing one, or a new one by its name. */
export function TagEditor({ known, all, some = none, onAdd, onRemove, onDone }: TagEditorProps) {
  const [typed, setTyped] = useState('');
  const [isRefused, setIsRefused] = useState(false);
  const field = useFocusOnce<HTMLInputElement>();
  const ruleId = useId();
  const wanted = typed.trim().replace(/^#/u, '').toLowerCase();
  const tags = [...new Set([...all, ...some, ...known])].filter((tag) => tag.includes(wanted)).slice(0, mostShown);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wanted === '') return onDone();
    const tag = readTag(typed);
    setIsRefused(tag === null);
    if (tag === null) return;
    onAdd(tag);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onDone();
  };
  return (
    <form aria-label={t('tags.label')} onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <TagButton
            key={tag}
            tag={tag}
            isOn={all.includes(tag) ? true : some.includes(tag) ? 'mixed' : false}
            onChange={(isOn) => (isOn ? onAdd(tag) : onRemove(tag))}
            onKeyDown={onKeyDown}
          />
        ))}
      </div>
      <div className="flex gap-1.5">
        <input
          ref={field}
          type="text"
          aria-label={t('tags.new')}
          aria-invalid={isRefused}
          aria-describedby={isRefused ? ruleId : undefined}
          placeholder={t('tags.new')}
          maxLength={60}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setIsRefused(false);
          }}
          onKeyDown={onKeyDown}
          className={`${inputClass} h-8 min-w-0 flex-1`}
        />
        <Button onClick={onDone}>{t('tags.done')}</Button>
      </div>
      {isRefused && (
        <p id={ruleId} role="alert" className="text-sm text-bad">
          {t('tags.rule')}
        </p>
      )}
    </form>
  );
}

interface TagButtonProps {
  readonly tag: string;
  readonly isOn: boolean | 'mixed';
  readonly onChange: (isOn: boolean) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function TagButton({ tag, isOn, onChange, onKeyDown }: TagButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(isOn !== true)}
      onKeyDown={onKeyDown}
      className="h-6 max-w-full truncate rounded-full border border-line px-2 text-xs hover:bg-chosen aria-[pressed=mixed]:border-dashed aria-[pressed=mixed]:border-line-strong aria-pressed:border-line-strong aria-pressed:bg-chosen aria-pressed:font-semibold"
    >
      #{tag}
    </button>
  );
}
