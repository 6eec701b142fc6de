import { t } from '../../lib/text/translate.ts';
import { Group } from '../controls/settings-parts.tsx';
import { MoneyCap } from './money-cap.tsx';

const scopes = ['step', 'task', 'session', 'project', 'day', 'month'] as const;

/** The spending limits that apply everywhere, each beside what was spent of it. The same in the settings and on Costs. */
export function SpendingLimits() {
  return (
    <Group title={t('settings.spending')}>
      <p className="text-sm text-soft">{t('settings.spending.text')}</p>
      <div className="flex max-w-xl flex-col gap-2">
        {scopes.map((scope) => (
          <MoneyCap key={scope} scope={scope} />
        ))}
      </div>
    </Group>
  );
}
