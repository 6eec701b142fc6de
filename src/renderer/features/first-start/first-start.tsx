import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import type { FirstStep } from '../../lib/window/preferences.ts';
import { isFirstStartHidden, isFirstStartWanted, skippedSteps } from '../../lib/window/preferences.ts';
import { useStored } from '../../lib/window/stored-value.ts';
import { t } from '../../lib/text/translate.ts';
import { useLocalModel } from '../../lib/models/use-local-model.ts';
import { useMachineMemory } from '../../lib/models/use-memory-plan.ts';
import { Button } from '../../ui/controls/button.tsx';
import { HintText } from '../../ui/notices/hint-text.tsx';
import { ExampleQuestions } from './example-questions.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import type { Finding } from '@shared/contract/home-contract.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface FirstStartProps {
  /** There are sessions already: then only what is missing is worth a word, and no first task. */
  readonly hasSessions: boolean;
  /** Asks in a new session and shows it. */
  readonly onAsk: (text: string, signal: AbortSignal) => Promise<void>;
}

/** The guided beginning: what the machine has, what it lacks, and how to get it. Each point can wait. */
export function FirstStart({ hasSessions, onAsk }: FirstStartProps) {
  const client = useClient();
  const [isHidden, setIsHidden] = useStored(isFirstStartHidden);
  const [isWanted, setIsWanted] = useStored(isFirstStartWanted);
  const local = useLocalModel();
  const isModelReady = local.data?.model?.state === 'ready';
  const isShown = isWanted || (!isHidden && !(hasSessions && (local.isPending || isModelReady)));
  const doctor = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => client.doctor(undefined, { signal }),
    enabled: isShown,
  });
  const machine = useMachineMemory(isShown);
  const ollama = doctor.data?.find((finding) => finding.area === 'ollama') ?? null;
  const sandbox = doctor.data?.find((finding) => finding.area === 'sandbox') ?? null;
  const isAllDone = hasSessions && isModelReady && stateOf(sandbox) === 'done';
  if (!isShown) return null;
  const hide = (): void => {
    setIsHidden(true);
    setIsWanted(false);
  };
  return (
    <section aria-label={t('first.title')} className="rounded-xl border border-line p-5">
      <h2 className="font-semibold">{t('first.title')}</h2>
      <p className="mb-4 text-sm text-soft">{t('first.text')}</p>
      <ol className="flex flex-col gap-4">
        <Point title={t('first.machine')} state={machine.data === undefined ? 'open' : 'done'}>
          {machine.isPending && <p>{t('first.checking')}</p>}
          {machine.error !== null && <p>{t('first.machine.unknown')}</p>}
          {machine.data !== undefined && <MachinePoint plan={machine.data} />}
          {ollama !== null && <p>{ollama.text}</p>}
        </Point>
        <Point
          step="model"
          title={t('first.model')}
          state={local.isPending ? 'open' : isModelReady ? 'done' : 'missing'}
        >
          {local.isPending && <p>{t('first.checking')}</p>}
          {local.error !== null && <p>{failureText(local.error)}</p>}
          {local.data !== undefined && <ModelPoint id={local.data.id} model={local.data.model} />}
        </Point>
        <SandboxStep sandbox={sandbox} findings={doctor} />
        {(!hasSessions || isWanted) && (
          <Point step="task" title={t('first.task')} state="open">
            <ExampleQuestions isReady={isModelReady} onAsk={onAsk} />
          </Point>
        )}
      </ol>
      <Button look="quiet" size="small" className="mt-4 -ml-2 text-soft" onClick={hide}>
        {t(isAllDone ? 'first.close' : 'first.hide')}
      </Button>
    </section>
  );
}

type PointState = 'open' | 'done' | 'missing';

function stateOf(finding: Finding | null): PointState {
  if (finding === null) return 'open';
  return finding.status === 'missing' ? 'missing' : 'done';
}

const pointLooks = {
  open: 'border-line-strong',
  done: 'border-transparent bg-ink text-paper',
  missing: 'border-transparent bg-warn-soft text-warn',
} as const;

interface PointProps {
  /** By which it can be skipped; what only says how things are cannot. */
  readonly step?: FirstStep;
  readonly title: string;
  readonly state: PointState;
  readonly children: ReactNode;
}

function Point({ step, title, state, children }: PointProps) {
  const [skipped, setSkipped] = useStored(skippedSteps);
  const isSkipped = step !== undefined && state !== 'done' && skipped.includes(step);
  const toggle = (one: FirstStep): void =>
    setSkipped(isSkipped ? skipped.filter((other) => other !== one) : [...skipped, one]);
  return (
    <li className="flex gap-3">
      <span
        className={`mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border ${pointLooks[isSkipped ? 'open' : state]}`}
      >
        {state === 'done' && <Icon name="check" className="size-3" />}
        {state === 'missing' && !isSkipped && <Icon name="alert" className="size-3" />}
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <h3 className={`font-semibold ${isSkipped ? 'text-soft' : ''}`}>
          {title}
          {isSkipped && <span className="ml-2 text-xs font-normal">{t('first.skipped')}</span>}
        </h3>
        {!isSkipped && <div className="text-soft wrap-anywhere">{children}</div>}
      </div>
      {step !== undefined && state !== 'done' && (
        <Button
          look="quiet"
          size="small"
          className="text-soft"
          aria-label={t(isSkipped ? 'first.backStep' : 'first.skipStep', { title })}
          onClick={() => toggle(step)}
        >
          {t(isSkipped ? 'first.back' : 'first.skip')}
        </Button>
      )}
    </li>
  );
}

function ModelPoint({ id, model }: { readonly id: string; readonly model: ModelEntry | null }) {
  if (model === null) return <p>{t('first.model.none', { id: seenName(id) })}</p>;
  if (model.state === 'ready') return <p>{t('first.model.ready', { label: seenName(model.label) })}</p>;
  const size = model.sizeBytes === null ? '?' : bytes(model.sizeBytes);
  return (
    <div className="flex flex-col gap-2">
      <p>{t('first.model.get', { label: seenName(model.label), size })}</p>
      <DownloadControl id={model.id} isFirst />
    </div>
  );
}

/** What models can be run on. */
function MachinePoint({ plan }: { readonly plan: MemoryPlanAnswer }) {
  const { devices, host } = plan;
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

interface SandboxStepProps {
  readonly sandbox: Finding | null;
  readonly findings: Pick<UseQueryResult, 'error' | 'isPending' | 'isFetching' | 'refetch'>;
}

/** What runs commands here, looked for once more when a person has repaired something. */
function SandboxStep({ sandbox, findings: { error, isPending, isFetching, refetch } }: SandboxStepProps) {
  return (
    <Point step="sandbox" title={t('first.sandbox')} state={stateOf(sandbox)}>
      {isPending && <p>{t('first.checking')}</p>}
      {error !== null && <p>{failureText(error)}</p>}
      {sandbox !== null && <SandboxPoint finding={sandbox} />}
      {sandbox?.status === 'missing' && (
        <Button size="small" className="mt-2" disabled={isFetching} onClick={() => void refetch()}>
          {t(isFetching ? 'first.checking' : 'settings.checkAgain')}
        </Button>
      )}
    </Point>
  );
}

function SandboxPoint({ finding }: { readonly finding: Finding }) {
  return (
    <>
      <p>{finding.text}</p>
      {finding.hint !== null && <HintText hint={finding.hint} />}
      {finding.status === 'missing' && <p>{t('first.sandbox.missing')}</p>}
    </>
  );
}
