import type { Finding } from '@shared/contract/home-contract.ts';
import { t } from '../../lib/text/translate.ts';
import { HintText } from '../../ui/notices/hint-text.tsx';

const looks = {
  ok: 'text-good',
  warning: 'text-warn',
  missing: 'text-bad',
} as const;

/** One line of a report on the set-up, with what mends it. */
export function FindingRow({ finding: { area, status, text, hint } }: { readonly finding: Finding }) {
  return (
    <div className="flex gap-3 text-sm">
      <span className={`w-16 shrink-0 text-xs leading-6 font-semibold ${looks[status]}`}>
        {t(`settings.status.${status}`)}
      </span>
      <div className="min-w-0 wrap-anywhere">
        <p>
          <span className="text-soft">{area}: </span>
          {text}
        </p>
        {hint !== null && <HintText hint={hint} />}
      </div>
    </div>
  );
}
