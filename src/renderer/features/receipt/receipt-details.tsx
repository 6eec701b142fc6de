import type { KeptHere, Receipt, ReceiptRow } from '@shared/safety/receipt.ts';
import { seenName, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { SeenPieces } from '../../ui/content/seen-text.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { MoreButton } from '../../ui/controls/more-button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Fold } from '../../ui/layout/fold.tsx';

const firstRows = 50;

/** To whom, what stayed, and what nobody counts. */
export function ReceiptDetails({ made }: { readonly made: Receipt }) {
  const { about, rows, shared, kept, uncounted, here } = made;
  const isOneSession = about.type === 'session';
  return (
    <>
      {rows.length > 0 && <Rows title={t('receipt.rows')} rows={rows} isOneSession={isOneSession} />}
      {shared.length > 0 && <Rows title={t('receipt.rows.shared')} rows={shared} isOneSession={isOneSession} />}
      {uncounted.length > 0 && (
        <Part title={t('receipt.uncounted')}>
          <ul className="flex flex-col gap-1 text-sm">
            {uncounted.map(({ name, count }) => (
              <li key={name} className="flex justify-between gap-4">
                <span className="wrap-anywhere">{seenName(name)}</span>
                <span className="tabular-nums">{t('receipt.kept.times', { count })}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Kept kept={kept} />
      <Fold label={t('receipt.here')}>
        <p className="pt-1 text-sm text-soft">{t('receipt.here.text', { out: bytes(here.out), in: bytes(here.in) })}</p>
      </Fold>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly ReceiptRow[];
  readonly isOneSession: boolean;
}

function Rows({ title, rows, isOneSession }: RowsProps) {
  const { shown, left, more } = useFirstItems(rows, firstRows);
  return (
    <Part title={title}>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {shown.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows never move
          <Row key={index} row={row} isOneSession={isOneSession} />
        ))}
      </ul>
      <MoreButton left={left} onMore={more} />
    </Part>
  );
}

function Row({ row, isOneSession }: { readonly row: ReceiptRow; readonly isOneSession: boolean }) {
  const { host, port, out, in: into, by, why, perhapsMore, sessionId } = row;
  const navigate = useNavigate();
  const [first = '', ...others] = why;
  // A command of the window has a name that only programs know.
  const name = by.name === '' || by.kind === 'command' ? t('receipt.row.dewpoint') : seenName(by.name);
  return (
    <li className="flex flex-col gap-1 py-2.5 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 font-mono text-xs wrap-anywhere">
          <SeenPieces pieces={seenPieces(port === null ? host : `${host}:${port}`)} />
        </span>
        <span className="tabular-nums">
          <strong className="font-semibold">{t('receipt.row.out', { size: bytes(out) })}</strong>
          <span className="text-soft"> · {t('receipt.row.in', { size: bytes(into) })}</span>
        </span>
      </div>
      {perhapsMore !== 0 && (
        <p className="text-warn">
          {perhapsMore === null
            ? t('receipt.row.perhapsUnknown')
            : t('receipt.row.perhaps', { size: bytes(perhapsMore) })}
        </p>
      )}
      <p className="text-soft wrap-anywhere">
        {t('receipt.row.by', { name })} · {seenWords(first)}
      </p>
      {others.length > 0 && (
        <Fold label={plural('receipt.row.reasons', others.length)}>
          <Lines lines={others.map(seenWords)} />
        </Fold>
      )}
      <Files files={row.files} />
      {sessionId !== null && !isOneSession && (
        <div>
          <Button size="small" look="quiet" onClick={() => navigate({ type: 'session', sessionId })}>
            {t('receipt.row.session')}
          </Button>
        </div>
      )}
    </li>
  );
}

function Files({ files }: Pick<ReceiptRow, 'files'>) {
  if (files === null) return <p className="text-soft">{t('receipt.row.filesUnknown')}</p>;
  if (files.length === 0) return <p className="text-soft">{t('receipt.row.noFiles')}</p>;
  return (
    <Fold label={plural('receipt.row.files', files.length)}>
      <Lines lines={files.map(seenName)} isMono />
    </Fold>
  );
}

function Lines({ lines, isMono = false }: { readonly lines: readonly string[]; readonly isMono?: boolean }) {
  return (
    <ul className={`flex flex-col gap-0.5 py-1 pl-4.5 text-soft ${isMono ? 'font-mono text-xs' : ''}`}>
      {lines.map((line) => (
        <li key={line} className="wrap-anywhere">
          {line}
        </li>
      ))}
    </ul>
  );
}

function Kept({ kept }: { readonly kept: readonly KeptHere[] }) {
  const { shown, left, more } = useFirstItems(kept, firstRows);
  return (
    <Part title={t('receipt.kept')}>
      {kept.length === 0 && <Empty>{t('receipt.kept.none')}</Empty>}
      <ul className="flex flex-col gap-2 text-sm">
        {shown.map(({ kind, count, bytes: size, what }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- they never move
          <li key={index}>
            <span className="flex flex-wrap justify-between gap-x-4">
              <span className="font-semibold">{t(`receipt.kept.${kind}`)}</span>
              <span className="tabular-nums">
                {t('receipt.kept.times', { count })}
                {size !== null && ` · ${bytes(size)}`}
              </span>
            </span>
            <span className="text-soft wrap-anywhere">{seenWords(what)}</span>
          </li>
        ))}
      </ul>
      <MoreButton left={left} onMore={more} />
    </Part>
  );
}
