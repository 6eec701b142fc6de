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

/** Downloads a text as a file. The host or browser decides where it goes. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the download has begun, or it never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
