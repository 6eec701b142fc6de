import { useCallback, useEffect, useMemo, useState } from 'react';
import { seenLineText } from '@shared/text/seen-text.ts';
import { displayLines } from '../../lib/drawing/display-lines.ts';
import type { CodeRun } from '../../lib/drawing/highlight.ts';
import { highlight } from '../../lib/drawing/highlight.ts';
import { plural } from '../../lib/text/translate.ts';
import { LongLines } from './long-lines.tsx';

interface CodeLinesProps {
  readonly code: string;
  /** The word after the fence; empty: plain text. */
  readonly language: string;
  /** More text is coming. Colors wait until it is complete. */
  readonly isGrowing?: boolean;
}

/** Longer code is folded after this many lines or characters. */
const foldedLines = 40;
const foldedCharacters = 8000;
/** Growing code shows only this many of its latest lines. */
const growingLines = 200;

/** Code with colors, folded if it is long. */
export function CodeLines({ code, language, isGrowing = false }: CodeLinesProps) {
  const text = useMemo(() => code.replace(/\n$/u, '').split('\n').map(seenLineText).join('\n'), [code]);
  const lines = useMemo(() => displayLines(text), [text]);
  // Code that was seen growing does not fold at its end.
  const [isOpen, setIsOpen] = useState(isGrowing);
  const runs = useHighlighted(text, language, isGrowing, lines.length);
  const [from, to] = useMemo(() => shownOf(lines, isOpen, isGrowing), [lines, isOpen, isGrowing]);
  const lengthOf = useCallback((index: number) => lines[from + index]?.length ?? 0, [lines, from]);
  return (
    <>
      <LongLines
        count={to - from}
        lengthOf={lengthOf}
        className="px-3 py-2.5 whitespace-pre"
        draw={(index) => <CodeLine line={lines[from + index] ?? ''} runs={runs?.[from + index]} />}
      />
      {to < lines.length && (
        <button
          type="button"
          className="w-full border-t border-line py-1 text-xs text-soft hover:bg-chosen hover:text-ink"
          onClick={() => setIsOpen(true)}
        >
          {plural('code.more', lines.length - to)}
        </button>
      )}
    </>
  );
}

/** The first line to show, and the one after the last. */
function shownOf(lines: readonly string[], isOpen: boolean, isGrowing: boolean): readonly [number, number] {
  const count = lines.length;
  if (isGrowing) return [Math.max(0, count - growingLines), count];
  if (isOpen) return [0, count];
  let characters = 0;
  const tooFar = lines.findIndex((line) => (characters += line.length) > foldedCharacters);
  const folded = Math.min(foldedLines, tooFar < 1 ? foldedLines : tooFar);
  return [0, count <= folded + 5 ? count : folded];
}

function CodeLine({ line, runs }: { readonly line: string; readonly runs: readonly CodeRun[] | undefined }) {
  if (line === '') return <br />;
  if (runs === undefined) return <code>{line}</code>;
  return <code>{coloredRuns(runs)}</code>;
}

/** A line of code in its colors. */
export function coloredRuns(runs: readonly CodeRun[]) {
  return runs.map((run, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- runs have nothing but their place
    <span key={index} style={{ color: run.color }}>
      {run.text}
    </span>
  ));
}

/** Null while there are no colors, or when they are for other lines. */
function useHighlighted(
  code: string,
  language: string,
  isGrowing: boolean,
  lineCount: number,
): readonly (readonly CodeRun[])[] | null {
  const [found, setFound] = useState<{ readonly code: string; readonly runs: readonly (readonly CodeRun[])[] } | null>(
    null,
  );
  useEffect(() => {
    let isWanted = !isGrowing;
    if (isWanted) {
      highlight(code, language).then(
        (runs) => void (isWanted && runs !== null && setFound({ code, runs })),
        // Readable without colors, too.
        () => undefined,
      );
    }
    return () => {
      isWanted = false;
    };
  }, [code, language, isGrowing]);
  return found?.code === code && found.runs.length === lineCount ? found.runs : null;
}
