import { useCallback, useMemo, useState } from 'react';
import { displayLines } from '../../../lib/drawing/display-lines.ts';
import { foldedText } from '../../../lib/drawing/folded-text.ts';
import { bytes } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { LongLines } from '../../../ui/content/long-lines.tsx';

/** The user's message, unchanged. A long one is folded, and opens in its own scroll area. */
export function MessageText({ text }: { readonly text: string }) {
  const folded = useMemo(() => foldedText(text), [text]);
  const [isOpen, setIsOpen] = useState(false);
  if (folded === null) return <Words text={text} />;
  if (isOpen) return <AllLines text={text} />;
  return (
    <>
      <Words text={`${folded} …`} />
      <button type="button" className="mt-1.5 text-xs text-soft hover:text-ink" onClick={() => setIsOpen(true)}>
        {t('message.all', { size: bytes(text.length) })}
      </button>
    </>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p className="whitespace-pre-wrap wrap-anywhere [unicode-bidi:plaintext]">{text}</p>;
}

function AllLines({ text }: { readonly text: string }) {
  const lines = useMemo(() => displayLines(text), [text]);
  const lengthOf = useCallback((index: number) => lines[index]?.length ?? 0, [lines]);
  return (
    <LongLines
      count={lines.length}
      lengthOf={lengthOf}
      isWrapped
      className="max-h-[70vh] whitespace-pre-wrap wrap-anywhere [unicode-bidi:plaintext]"
      draw={(index) => (lines[index] === '' ? <br /> : lines[index])}
    />
  );
}
