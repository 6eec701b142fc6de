import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { isFirstStartHidden, isFirstStartWanted } from '../../lib/window/preferences.ts';
import { useStoredValue } from '../../lib/window/stored-value.ts';
import { t } from '../../lib/text/translate.ts';
import { useLocalModel } from '../../lib/models/use-local-model.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { failureText } from '../../lib/connection/failure-text.ts';
import { ExampleQuestions } from './example-questions.tsx';
import { FirstDetails } from './first-details.tsx';
import { FirstModel } from './first-model.tsx';

interface FirstStartProps {
  /** Whether there are sessions. Then it shows only what is missing, and no first question. */
  readonly hasSessions: boolean;
  /** Asks in a new session and shows it. */
  readonly onAsk: (text: string) => Promise<void>;
}

/** The first screen: what Dewpoint is, one button for a model, and example questions. "Details" shows the rest. */
export function FirstStart({ hasSessions, onAsk }: FirstStartProps) {
  const client = useClient();
  const [isHidden, setIsHidden] = useStoredValue(isFirstStartHidden);
  const [isWanted, setIsWanted] = useStoredValue(isFirstStartWanted);
  const local = useLocalModel();
  const isModelReady = local.data?.model?.state === 'ready';
  const isShown = isWanted || (!isHidden && !(hasSessions && (local.isPending || isModelReady)));
  const doctor = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => client.doctor(undefined, { signal }),
    enabled: isShown,
  });
  if (!isShown) return null;
  const sandbox = doctor.data?.find((finding) => finding.area === 'sandbox') ?? null;
  const hide = (): void => {
    setIsHidden(true);
    setIsWanted(false);
  };
  return (
    <section aria-label={t('first.title')} className="flex flex-col gap-4 rounded-xl border border-line p-5">
      <p className="font-semibold">{t('first.text')}</p>
      {local.error !== null && <Problem text={failureText(local.error)} />}
      {local.data !== undefined && <FirstModel id={local.data.id} model={local.data.model} />}
      {(!hasSessions || isWanted) && <ExampleQuestions isReady={isModelReady} onAsk={onAsk} />}
      {sandbox?.status === 'missing' && <p className="text-sm text-soft">{t('first.sandbox.missing')}</p>}
      <div className="flex items-start justify-between gap-4">
        <FirstDetails doctor={doctor} sandbox={sandbox} />
        <Button look="quiet" size="small" className="-my-1 text-soft" onClick={hide}>
          {t(isModelReady ? 'first.close' : 'first.hide')}
        </Button>
      </div>
    </section>
  );
}
