import { saveText } from '../../lib/text/save-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';

/** Saves a text as a file. */
export function SaveButton({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs text-soft hover:bg-chosen hover:text-ink"
      aria-label={t('code.save', { name })}
      title={t('code.save', { name })}
      onClick={() => saveText(text, name)}
    >
      <Icon name="download" className="size-3.5" />
    </button>
  );
}
