import type { Receipt } from '@shared/safety/receipt.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Notice } from '../../ui/notices/notice.tsx';

/** The answer in one line, and why it is not all. */
export function ReceiptVerdict({ made }: { readonly made: Receipt }) {
  const gaps = gapsOf(made);
  return (
    <section aria-label={verdictText(made)} className="flex flex-col gap-3">
      <p className={`text-xl font-semibold tracking-tight ${made.verdict === 'nothing' ? 'text-good' : ''}`}>
        {verdictText(made)}
      </p>
      {made.verdict === 'nothing' && <p className="text-soft">{t('receipt.nothing.text')}</p>}
      {made.in > 0 && <p className="text-soft">{t('receipt.in', { size: bytes(made.in) })}</p>}
      {made.record.unreadRequests > 0 && (
        <p className="text-warn">{plural('receipt.requests', made.record.unreadRequests)}</p>
      )}
      {made.verdict === 'not-all' && (
        <Notice kind="warning">
          <p>{t('receipt.notAll')}</p>
          <ul className="list-disc pl-4">
            {gaps.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        </Notice>
      )}
    </section>
  );
}

function verdictText({ verdict, rows, shared, out }: Receipt): string {
  if (verdict === 'nothing') return t('receipt.nothing');
  const size = bytes(out);
  const hosts = new Set(rows.map(({ host }) => host)).size;
  if (hosts === 0 && verdict === 'not-all') return t('receipt.unsure');
  if (hosts === 0) return t('receipt.shared', { size: bytes(shared.reduce((all, row) => all + row.out, 0)) });
  return plural(verdict === 'counted' ? 'receipt.counted' : 'receipt.least', hosts, { size });
}

function gapsOf({ record, rows, shared, uncounted }: Receipt): readonly string[] {
  const { since, isPartial, unreadable, unreadLogs } = record;
  const date =
    since === null ? null : new Date(since).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
  const isCut = [...rows, ...shared].some(({ perhapsMore }) => perhapsMore !== 0);
  return [
    ...(isPartial ? [date === null ? t('receipt.notAll.none') : t('receipt.notAll.since', { date })] : []),
    ...(unreadable > 0 ? [plural('receipt.notAll.unreadable', unreadable)] : []),
    ...(unreadLogs > 0 ? [plural('receipt.notAll.logs', unreadLogs)] : []),
    ...(uncounted.length > 0 ? [t('receipt.notAll.uncounted')] : []),
    ...(isCut ? [t('receipt.notAll.cut')] : []),
  ];
}
