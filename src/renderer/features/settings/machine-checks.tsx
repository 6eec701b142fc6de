import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { isFirstStartWanted } from '../../lib/window/preferences.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { FindingRow } from './finding-row.tsx';
import { SetupTrials } from './setup-trials.tsx';

/** What works on this machine and what does not, as in `dewpoint doctor`. */
export function MachineChecks({ isWanted }: { readonly isWanted: boolean }) {
  const client = useClient();
  const navigate = useNavigate();
  const showFirstSteps = (): void => {
    isFirstStartWanted.set(true);
    navigate({ type: 'new' });
  };
  const doctor = useQuery({ queryKey: ['doctor'], queryFn: ({ signal }) => client.doctor(undefined, { signal }) });
  return (
    <Group title={t('settings.machine')} isWanted={isWanted}>
      {doctor.isPending && <p className="text-sm text-soft">{t('settings.checking')}</p>}
      {doctor.error !== null && <Problem text={failureText(doctor.error)} onRetry={doctor.refetch} />}
      {doctor.data !== undefined && (
        <ul className="flex flex-col gap-2 text-sm">
          {doctor.data.map((finding) => (
            <li key={`${finding.area} ${finding.text}`}>
              <FindingRow finding={finding} />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="small" disabled={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {t('settings.checkAgain')}
        </Button>
        <Button size="small" look="quiet" onClick={showFirstSteps}>
          {t('first.again')}
        </Button>
      </div>
      <SetupTrials />
    </Group>
  );
}
