import { useMemo, useState } from 'react';
import type { ShownFile } from '@shared/contract/sessions-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { PreviewableFile } from '../../../lib/session/previewable-files.ts';
import { csvRows } from '../../../lib/text/table-text.ts';
import { imageUrlOf } from '../../../lib/drawing/image-url.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { LockedFrame } from '../../../ui/content/locked-frame.tsx';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { TableView } from '../../../ui/content/table-view.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';

interface FilePreviewProps {
  readonly file: PreviewableFile;
  readonly content: ShownFile;
}

/** A file as what its name says it is, where its bytes agree. */
export function FilePreview({ file: { name, kind }, content }: FilePreviewProps) {
  if (content.kind === 'none') return <Empty>{t(`preview.${content.why}`)}</Empty>;
  if (content.kind === 'image') return <Picture name={name} url={`data:${content.mediaType};base64,${content.data}`} />;
  switch (kind) {
    case 'html':
      return <WebPage name={name} html={content.text} />;
    case 'svg':
      return <Picture name={name} url={imageUrlOf(content.text)} />;
    case 'markdown':
      return (
        <div className="prose">
          <Markdown text={content.text} />
        </div>
      );
    case 'table':
      return <Table text={content.text} />;
    case 'picture':
      return <Empty>{t('preview.binary')}</Empty>;
    default:
      return kind satisfies never;
  }
}

/** An image runs nothing and fetches nothing, not even one that is an SVG. */
function Picture({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <img
      src={url}
      alt={t('preview.picture', { name: seenName(name) })}
      className="mx-auto block max-h-full max-w-full bg-white object-contain"
    />
  );
}

function WebPage({ name, html }: { readonly name: string; readonly html: string }) {
  const [mayRun, setMayRun] = useState(false);
  return (
    <>
      <label className="flex shrink-0 items-start gap-2 text-xs">
        <input
          type="checkbox"
          checked={mayRun}
          onChange={(event) => setMayRun(event.target.checked)}
          className="mt-0.5 size-3.5 accent-ink"
        />
        <span>
          {t('preview.scripts')}
          <span className="block text-soft">{t('preview.scriptsAbout')}</span>
        </span>
      </label>
      <LockedFrame
        key={String(mayRun)}
        html={html}
        mayRun={mayRun}
        title={t('preview.page', { name: seenName(name) })}
      />
    </>
  );
}

/** More are not drawn. */
const mostRows = 500;

function Table({ text }: { readonly text: string }) {
  const [head, ...rows] = useMemo(() => csvRows(text, mostRows + 2), [text]);
  if (head === undefined) return null;
  const shown = rows.slice(0, mostRows);
  return (
    <div className="prose min-h-0 overflow-y-auto text-sm">
      <TableView>
        <thead>
          <tr>
            {head.map((cell, column) => (
              // oxlint-disable-next-line react/no-array-index-key -- a column has nothing but its place
              <th key={column}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a row has nothing but its place
            <tr key={index}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key -- a cell has nothing but its place
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableView>
      {rows.length > mostRows && <p className="text-xs text-soft">{plural('preview.rows', mostRows)}</p>}
    </div>
  );
}
