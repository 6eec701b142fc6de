import { useEffect, useState } from 'react';
import type { CodeRun } from '../lib/highlight.ts';
import { highlight } from '../lib/highlight.ts';
import { plural, t } from '../lib/texts.ts';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** As after the fence; empty: plain text. */
  readonly language: string;
  /** More is coming: colours wait until it is whole. */
  readonly isGrowing?: boolean;
}

/** Longer code folds at this many lines. */
const foldedLines = 40;

export function CodeBlock({ code, language, isGrowing = false }: CodeBlockProps) {
  const text = code.replace(/\n$/u, '');
  const lines = text.split('\n');
  const [isOpen, setIsOpen] = useState(false);
  const runs = useHighlighted(text, language, isGrowing);
  const shown = isOpen || isGrowing || lines.length <= foldedLines + 5 ? lines.length : foldedLines;
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3 font-mono text-2xs text-soft">
        <span>{language === '' ? t('code.plain') : language}</span>
        <CopyButton text={text} label={t('code.copy')} />
      </figcaption>
      <pre
        // A keyboard must be able to scroll what a mouse can.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="overflow-x-auto px-3 py-2.5 font-mono text-xs leading-relaxed"
      >
        <code>
          {lines.slice(0, shown).map((line, index) => (
            // Lines of code are told apart by their place alone.
            // oxlint-disable-next-line react/no-array-index-key
            <CodeLine key={index} line={line} runs={runs?.[index]} />
          ))}
        </code>
      </pre>
      {shown < lines.length && (
        <button
          type="button"
          className="w-full border-t border-line py-1 text-xs text-soft hover:bg-chosen hover:text-ink"
          onClick={() => setIsOpen(true)}
        >
          {plural('code.more', lines.length - shown)}
        </button>
      )}
    </figure>
  );
}

function CodeLine({ line, runs }: { readonly line: string; readonly runs: readonly CodeRun[] | undefined }) {
  if (runs === undefined) return <span>{`${line}\n`}</span>;
  return (
    <span>
      {runs.map((run, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- as above
        <span key={index} style={{ color: run.colour }}>
          {run.text}
        </span>
      ))}
      {'\n'}
    </span>
  );
}

function useHighlighted(code: string, language: string, isGrowing: boolean): readonly (readonly CodeRun[])[] | null {
  const [found, setFound] = useState<{ readonly code: string; readonly runs: readonly (readonly CodeRun[])[] } | null>(
    null,
  );
  useEffect(() => {
    let isWanted = !isGrowing;
    if (isWanted) {
      highlight(code, language).then(
        (runs) => void (isWanted && runs !== null && setFound({ code, runs })),
        // Without colours it is still readable.
        () => undefined,
      );
    }
    return () => {
      isWanted = false;
    };
  }, [code, language, isGrowing]);
  return found?.code === code ? found.runs : null;
}
