import { megabytes, tokens } from '../../lib/text/format.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useMemoryPlan } from '../../lib/models/use-memory-plan.ts';

/** Whether a model fits on this machine, by card, before it is fetched: by what the catalogue says of it; nothing is asked elsewhere. */
export function ModelFit({ id }: { readonly id: string }) {
  const plan = useMemoryPlan(id);
  if (plan.isPending) return <p className="text-xs text-soft">{t('models.fitLooking')}</p>;
  if (plan.error !== null) return <p className="text-xs text-soft">{failureText(plan.error)}</p>;
  const { granted, why, totalBytes } = plan.data;
  return (
    <div className="text-xs text-soft" data-fit>
      <p>
        {totalBytes === null
          ? (why ?? t('models.fitUnknown'))
          : t('models.fitGranted', { memory: megabytes(totalBytes), context: tokens(granted.context) })}
      </p>
      {totalBytes !== null && <p>{granted.reason}</p>}
      <ul>
        {granted.devices.map((device) => (
          <li key={device.name}>
            {t('models.fitCard', {
              card: device.name,
              layers: device.layers,
              used: megabytes(device.bytes),
              all: megabytes(device.budgetBytes),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
