import { useEffect, useState } from 'react';
import { copyText } from '../../lib/input/copy-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';

const shownMs = 1_500;

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs text-soft hover:bg-chosen hover:text-ink"
      aria-label={isCopied ? t('code.copied') : label}
      title={label}
      onClick={() => setIsCopied(copyText(text))}
    >
      <Icon name={isCopied ? 'check' : 'copy'} className="size-3.5" />
    </button>
  );
}
