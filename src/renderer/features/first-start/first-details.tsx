import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Finding } from '@shared/contract/home-contract.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useMachineMemory } from '../../lib/models/use-memory-plan.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { HintText } from '../../ui/notices/hint-text.tsx';

interface FirstDetailsProps {
  readonly doctor: UseQueryResult<readonly Finding[]>;
  readonly sandbox: Finding | null;
}

/** What the machine has and lacks, for users who want to know before the first question. */
export function FirstDetails({ doctor, sandbox }: FirstDetailsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const ollama = doctor.data?.find((finding) => finding.area === 'ollama') ?? null;
  return (
    <Fold label={t('first.details')} onToggle={setIsOpen}>
      <div className="mt-3 flex flex-col gap-4 text-sm text-soft wrap-anywhere">
        <section>
          <h3 className="font-semibold text-ink">{t('first.machine')}</h3>
          <Machine isWanted={isOpen} />
          {ollama !== null && <p>{ollama.text}</p>}
        </section>
        <section>
          <h3 className="font-semibold text-ink">{t('first.sandbox')}</h3>
          {doctor.isPending && <p>{t('first.checking')}</p>}
          {doctor.error !== null && <p>{failureText(doctor.error)}</p>}
          {sandbox !== null && <p>{sandbox.text}</p>}
          {sandbox !== null && sandbox.hint !== null && <HintText hint={sandbox.hint} />}
          {sandbox?.status === 'missing' && (
            <Button size="small" className="mt-2" disabled={doctor.isFetching} onClick={() => void doctor.refetch()}>
              {t(doctor.isFetching ? 'first.checking' : 'settings.checkAgain')}
            </Button>
          )}
        </section>
      </div>
    </Fold>
  );
}

/** The hardware that models can run on. */
function Machine({ isWanted }: { readonly isWanted: boolean }) {
  const machine = useMachineMemory(isWanted);
  if (machine.error !== null) return <p>{t('first.machine.unknown')}</p>;
  if (machine.data === undefined) return <p>{t('first.checking')}</p>;
  const { devices, host } = machine.data;
  return (
    <>
      {devices.length === 0 && <p>{t('first.machine.noCard')}</p>}
      {devices.map((device) => (
        <p key={device.name}>
          {t('first.machine.card', {
            name: device.name,
            free: bytes(device.freeBytes),
            all: bytes(device.totalBytes),
          })}
        </p>
      ))}
      <p>{t('first.machine.memory', { free: bytes(host.freeBytes), all: bytes(host.totalBytes) })}</p>
    </>
  );
}
