import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Canvas, CanvasChart, Picture } from '@shared/tools/canvas.ts';
import { isChart, readCanvas } from '@shared/tools/canvas.ts';
import { printable, seenWords } from '@shared/text/seen-text.ts';
import { imageUrlOf, pictureUrl } from '../../lib/drawing/image-url.ts';
import { t } from '../../lib/text/translate.ts';
import { DataTable } from '../content/data-table.tsx';
import { Diagram } from '../content/diagram.tsx';
import { PictureView } from '../content/picture.tsx';
import { SaveButton } from '../content/save-button.tsx';
import { WebPage } from '../content/web-page.tsx';
import { Notice } from '../notices/notice.tsx';
import { Chart } from './chart.tsx';

interface CanvasViewProps {
  /** Untrusted input, written by a model or taken from a log from elsewhere. */
  readonly input: unknown;
  /** The image as it was when it was shown; null: none. */
  readonly picture: Picture | null;
  /** Shown below the reason if it cannot be drawn: the original text. */
  readonly wrong?: ReactNode;
}

/** What the agent shows besides its words. */
export default function CanvasView({ input, picture, wrong }: CanvasViewProps) {
  const [isTable, setIsTable] = useState(false);
  const read = readCanvas(input);
  if (!read.ok)
    return (
      <div className="flex flex-col gap-2">
        <Notice kind="warning">{t('canvas.failed', { reason: read.problem })}</Notice>
        {wrong}
      </div>
    );
  const { canvas } = read;
  const title = seenWords(canvas.title);
  return (
    <figure data-canvas={canvas.kind} className="flex flex-col gap-2 rounded-lg border border-line px-3 pt-1 pb-3">
      <figcaption className="flex min-h-8 items-center gap-2">
        <span className="min-w-0 flex-1 font-semibold wrap-anywhere">
          {title === '' ? t(`canvas.${canvas.kind}`) : title}
        </span>
        {isChart(canvas) && (
          <button
            type="button"
            aria-pressed={isTable}
            className="h-6 rounded px-1.5 text-xs text-soft hover:bg-chosen hover:text-ink"
            onClick={() => setIsTable(!isTable)}
          >
            {t('chart.table')}
          </button>
        )}
        {(canvas.kind === 'html' || canvas.kind === 'svg') && (
          <SaveButton text={canvas.source} name={`canvas.${canvas.kind}`} />
        )}
      </figcaption>
      {isChart(canvas) && isTable ? <ChartTable chart={canvas} /> : <Drawn canvas={canvas} picture={picture} />}
    </figure>
  );
}

function Drawn({ canvas, picture }: { readonly canvas: Canvas; readonly picture: Picture | null }) {
  if (isChart(canvas)) return <Chart chart={canvas} />;
  const name = canvas.title === '' ? t(`canvas.${canvas.kind}`) : canvas.title;
  switch (canvas.kind) {
    case 'table':
      return (
        <div className="flex max-h-112 min-h-0 flex-col">
          <DataTable columns={canvas.columns} rows={canvas.rows} />
        </div>
      );
    case 'diagram':
      return <Diagram source={printable(canvas.source)} />;
    case 'svg':
      return <PictureView name={name} url={imageUrlOf(canvas.source)} />;
    case 'html':
      return <WebPage name={name} html={canvas.source} />;
    case 'image':
      if (picture === null)
        return <p className="text-sm text-soft">{t('canvas.noImage', { path: seenWords(canvas.path) })}</p>;
      return <PictureView name={canvas.path} url={pictureUrl(picture)} />;
    default:
      return canvas satisfies never;
  }
}

/** The numbers of a chart. */
function ChartTable({ chart: { axis, labels, series } }: { readonly chart: CanvasChart }) {
  const rows = labels.map((label, row) => [label, ...series.map(({ values }) => String(values[row] ?? ''))]);
  return <DataTable columns={[axis, ...series.map(({ name }) => name)]} rows={rows} />;
}
