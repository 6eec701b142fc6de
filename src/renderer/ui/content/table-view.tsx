import type { ReactNode } from 'react';
import { useRef, useState } from 'react';
import { copyText } from '../../lib/input/copy-text.ts';
import type { TableCells } from '../../lib/text/table-text.ts';
import { csvOf, markdownOf } from '../../lib/text/table-text.ts';
import { t } from '../../lib/text/translate.ts';
import { WideContent } from '../layout/wide-content.tsx';

/** A table that scrolls in place if it is wide, and that can be copied or saved. `children`: its head and body. */
export function TableView({ children }: { readonly children?: ReactNode }) {
  const table = useRef<HTMLTableElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  const copy = (kind: 'csv' | 'markdown', write: (rows: TableCells) => string): void => {
    const rows = [...(table.current?.rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent));
    if (copyText(write(rows))) setCopied(kind);
  };
  return (
    <div onMouseLeave={() => setCopied(null)}>
      <WideContent>
        <table ref={table}>{children}</table>
      </WideContent>
      <div className="mt-1! flex gap-1">
        <CopyAs label={t('table.copyCsv')} isCopied={copied === 'csv'} onClick={() => copy('csv', csvOf)} />
        <CopyAs
          label={t('table.copyMarkdown')}
          isCopied={copied === 'markdown'}
          onClick={() => copy('markdown', markdownOf)}
        />
      </div>
    </div>
  );
}

interface CopyAsProps {
  readonly label: string;
  readonly isCopied: boolean;
  readonly onClick: () => void;
}

function CopyAs({ label, isCopied, onClick }: CopyAsProps) {
  return (
    <button
      type="button"
      className="rounded px-1.5 py-0.5 text-xs text-soft hover:bg-chosen hover:text-ink"
      onClick={onClick}
    >
      {isCopied ? t('code.copied') : label}
    </button>
  );
}
