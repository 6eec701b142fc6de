import { useMemo } from 'react';
import type { ShownFile } from '@shared/contract/sessions-contract.ts';
import type { PreviewableFile } from '../../../lib/session/previewable-files.ts';
import { csvRows } from '@shared/text/csv-text.ts';
import { imageUrlOf, pictureUrl } from '../../../lib/drawing/image-url.ts';
import { t } from '../../../lib/text/translate.ts';
import { DataTable, mostTableRows } from '../../../ui/content/data-table.tsx';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { PictureView } from '../../../ui/content/picture.tsx';
import { WebPage } from '../../../ui/content/web-page.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';

interface FilePreviewProps {
  readonly file: PreviewableFile;
  readonly content: ShownFile;
}

/** Shows a file as the type that its name says, if its bytes agree. */
export function FilePreview({ file: { name, kind }, content }: FilePreviewProps) {
  if (content.kind === 'none') return <Empty>{t(`preview.${content.why}`)}</Empty>;
  if (content.kind === 'image') return <PictureView name={name} url={pictureUrl(content)} />;
  switch (kind) {
    case 'html':
      return <WebPage name={name} html={content.text} />;
    case 'svg':
      return <PictureView name={name} url={imageUrlOf(content.text)} />;
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

function Table({ text }: { readonly text: string }) {
  const [head, ...rows] = useMemo(() => csvRows(text, mostTableRows + 2), [text]);
  return head === undefined ? null : <DataTable columns={head} rows={rows} />;
}
