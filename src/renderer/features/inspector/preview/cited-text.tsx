import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { CitedPart, CitedPlace } from '@shared/documents/cited-part.ts';
import { csvRows } from '@shared/text/csv-text.ts';
import { seenLineText, seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { pictureUrl } from '../../../lib/drawing/image-url.ts';
import { t } from '../../../lib/text/translate.ts';
import { DataTable } from '../../../ui/content/data-table.tsx';
import { FilePath } from '../../../ui/content/file-path.tsx';
import { LongLines } from '../../../ui/content/long-lines.tsx';
import { PictureView } from '../../../ui/content/picture.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

/** A part of a document that an answer cites, with the place marked, and the way to the parts around it. */
export function CitedText({ sessionId, cited }: { readonly sessionId: string; readonly cited: CitedPlace }) {
  const client = useClient();
  const [moved, setMoved] = useState<{ readonly from: CitedPlace; readonly place: CitedPlace } | null>(null);
  const place = moved?.from === cited ? moved.place : cited;
  const { data, error, refetch } = useQuery({
    queryKey: ['cited-part', sessionId, place],
    queryFn: ({ signal }) => client.documents.show({ sessionId, place }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  if (error !== null) return <Problem text={`${t('preview.failed')} ${failureText(error)}`} onRetry={refetch} />;
  if (data === undefined) return null;
  if (data === null) return <Empty>{t('cited.gone')}</Empty>;
  const { part } = data;
  const go = (number: number): void => {
    if (part !== null) setMoved({ from: cited, place: { path: cited.path, part: { word: part.word, number } } });
  };
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 text-sm">
        <FilePath path={data.path} line={part === null ? (cited.line ?? null) : null} className="wrap-anywhere">
          {seenName(data.path)}
        </FilePath>
        {part !== null && <PartLinks part={part} onPart={go} />}
      </div>
      <Shown part={data} />
    </>
  );
}

type Named = NonNullable<CitedPart['part']>;

function PartLinks({ part, onPart }: { readonly part: Named; readonly onPart: (number: number) => void }) {
  const { word, number, of, name } = part;
  return (
    <>
      <span className="text-soft">
        {t(`cited.${word}`, { number, of })}
        {name !== null && ` · ${seenWords(name)}`}
      </span>
      <span className="ml-auto flex gap-1">
        <Button look="quiet" disabled={number <= 1} onClick={() => onPart(number - 1)}>
          {t('cited.before')}
        </Button>
        <Button look="quiet" disabled={number >= of} onClick={() => onPart(number + 1)}>
          {t('cited.after')}
        </Button>
      </span>
    </>
  );
}

function Shown({ part }: { readonly part: CitedPart }) {
  const { picture } = part;
  if (picture !== undefined)
    return (
      <div className="min-h-0 flex-1 overflow-auto">
        <PictureView name={picture.path} url={pictureUrl(picture)} />
      </div>
    );
  return part.form === 'table' ? <ShownTable part={part} /> : <ShownText part={part} />;
}

function ShownTable({ part: { lines, at, column } }: { readonly part: CitedPart }) {
  const [head, ...rows] = useMemo(() => lines.map((line) => csvRows(line, 1)[0] ?? []), [lines]);
  const marked = useMemo(
    () => (at === null || at === 0 ? null : { row: at - 1, column: column === null ? null : column + 1 }),
    [at, column],
  );
  return head === undefined ? null : <DataTable columns={head} rows={rows} marked={marked} />;
}

function ShownText({ part: { lines, from, at, part } }: { readonly part: CitedPart }) {
  const lengthOf = useCallback((index: number) => lines[index]?.length ?? 0, [lines]);
  const width = String(from + lines.length).length;
  return (
    <LongLines
      count={lines.length}
      lengthOf={lengthOf}
      isWrapped
      at={at}
      className="min-h-0 flex-1 whitespace-pre-wrap wrap-anywhere [unicode-bidi:plaintext]"
      draw={(index) => {
        const text = seenLineText(lines[index] ?? '');
        return (
          <>
            {part === null && (
              <span className="mr-3 text-soft select-none">{String(from + index).padStart(width)}</span>
            )}
            {index === at ? <mark className="bg-chosen text-ink">{text}</mark> : text}
            {text === '' && <br />}
          </>
        );
      }}
    />
  );
}
