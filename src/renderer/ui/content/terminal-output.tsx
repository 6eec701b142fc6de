import { useCallback, useMemo, useState } from 'react';
import { seenText } from '@shared/text/seen-text.ts';
import type { AnsiRun } from '../../lib/text/ansi-runs.ts';
import { parseAnsi } from '../../lib/text/ansi-runs.ts';
import { linePieces } from '../../lib/drawing/display-lines.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { LongLines } from './long-lines.tsx';

interface TerminalOutputProps {
  readonly text: string;
  /** Shown above the output, as in a terminal. */
  readonly command?: string | undefined;
}

/** Shows the end of an output, which matters most. The rest unfolds. */
const shownLines = 60;

// The sixteen terminal colors, as CSS variables that are readable in both themes.
const colors = [
  'text-soft',
  'text-bad',
  'text-good',
  'text-warn',
  'text-[var(--shiki-token-constant)]',
  'text-[var(--shiki-token-keyword)]',
  'text-local',
  'text-ink',
];

/** The output of a command with its colors, but without other terminal commands. */
export function TerminalOutput({ text, command }: TerminalOutputProps) {
  const [isOpen, setIsOpen] = useState(false);
  const lines = useMemo(() => text.replace(/(?<!\n)\n+$/u, '').split('\n'), [text]);
  const hidden = isOpen ? 0 : Math.max(0, lines.length - shownLines);
  const shown = useMemo(() => linesOf(parseAnsi(lines.slice(hidden).join('\n'))), [lines, hidden]);
  const lengthOf = useCallback(
    (index: number) => shown[index]?.reduce((length, { text: run }) => length + run.length, 0) ?? 0,
    [shown],
  );
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      {command !== undefined && (
        <figcaption className="flex items-start justify-between gap-2 border-b border-line py-1 pr-1 pl-3">
          <code className="pt-0.5 font-mono text-xs wrap-anywhere">
            <span className="text-soft select-none">$ </span>
            {seenText(command)}
          </code>
          <CopyButton text={command} label={t('session.copy')} />
        </figcaption>
      )}
      {hidden > 0 && (
        <button
          type="button"
          className="w-full border-b border-line py-1 text-xs text-soft hover:bg-chosen hover:text-ink"
          onClick={() => setIsOpen(true)}
        >
          {plural('terminal.earlier', hidden)}
        </button>
      )}
      {text !== '' && (
        <LongLines
          count={shown.length}
          lengthOf={lengthOf}
          isWrapped
          className="max-h-120 px-3 py-2 whitespace-pre-wrap wrap-anywhere"
          draw={(index) => <Line runs={shown[index] ?? []} />}
        />
      )}
    </figure>
  );
}

/** The runs of each line. A very long line is split into several. */
function linesOf(runs: readonly AnsiRun[]): readonly (readonly AnsiRun[])[] {
  const lines: AnsiRun[][] = [[]];
  for (const run of runs) {
    for (const [index, line] of run.text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      for (const [piece, text] of linePieces(line).entries()) {
        if (piece > 0) lines.push([]);
        lines.at(-1)?.push({ ...run, text });
      }
    }
  }
  return lines;
}

function Line({ runs }: { readonly runs: readonly AnsiRun[] }) {
  // An empty line has the height of any other.
  if (runs.every((run) => run.text === '')) return <br />;
  return runs.map((run, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- runs have nothing but their place
    <span key={index} className={lookOf(run)}>
      {run.text}
    </span>
  ));
}

function lookOf({ color, isBold, isFaint }: AnsiRun): string | undefined {
  const looks = [
    color === null ? '' : (colors[color % 8] ?? ''),
    isBold ? 'font-semibold' : '',
    isFaint ? 'text-soft' : '',
  ];
  const text = looks.filter((look) => look !== '').join(' ');
  return text === '' ? undefined : text;
}
