import type { NumberRow } from '@shared/routing/routing-profiles.ts';
import { numberRows } from '@shared/routing/routing-profiles.ts';
import { t } from '../../lib/text/translate.ts';
import { Fold } from '../../ui/layout/fold.tsx';
import { WideContent } from '../../ui/layout/wide-content.tsx';

interface ProfileNumbersProps {
  /** The user's own numbers from the settings. Read by name, because a newer core may have more. */
  readonly own: Readonly<Record<string, unknown>>;
}

const columns = ['economy', 'balanced', 'quality'] as const;

/** The profiles: presets of the same numbers, with the user's own values where there are any. */
export function ProfileNumbers({ own }: ProfileNumbersProps) {
  const rows = numberRows(own);
  const hasOwn = rows.some((row) => row.own !== null);
  return (
    <Fold label={t('settings.profiles')} className="text-sm">
      <WideContent>
        <table className="mt-2 w-full text-sm" aria-label={t('settings.profiles')}>
          <thead>
            <tr className="border-b border-line text-left text-soft">
              <th scope="col" className="py-1 pr-3 font-normal">
                {t('settings.profiles.number')}
              </th>
              {columns.map((name) => (
                <th key={name} scope="col" className="py-1 pl-3 text-right font-normal">
                  {t(`settings.profiles.${name}`)}
                </th>
              ))}
              {hasOwn && (
                <th scope="col" className="py-1 pl-3 text-right font-normal">
                  {t('settings.profiles.own')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.name} row={row} hasOwn={hasOwn} />
            ))}
          </tbody>
        </table>
      </WideContent>
      <p className="mt-2 text-sm text-soft">{t('settings.profiles.text')}</p>
    </Fold>
  );
}

function Row({ row, hasOwn }: { readonly row: NumberRow; readonly hasOwn: boolean }) {
  // The user's own value overrides every profile.
  const look = row.own === null ? '' : 'text-soft line-through';
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="min-w-48 py-1 pr-3 text-left font-normal">
        {row.label}
        <span className="block font-mono text-xs text-soft">{row.name}</span>
      </th>
      {columns.map((name) => (
        <td key={name} className={`py-1 pl-3 text-right tabular-nums ${look}`}>
          {row[name]}
        </td>
      ))}
      {hasOwn && <td className="py-1 pl-3 text-right tabular-nums">{row.own}</td>}
    </tr>
  );
}
