import { useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { bytes, seconds } from '../../lib/text/format.ts';
import { cancelModelDownload, startModelDownload, useModelDownloads } from '../../lib/models/model-downloads.ts';
import type { ModelDownload } from '../../lib/models/model-downloads.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from './button.tsx';
import { Icon } from '../layout/icon.tsx';
import { Notice } from '../notices/notice.tsx';

interface DownloadControlProps {
  readonly id: string;
  readonly label?: string;
  /** Whether it is the main action here. */
  readonly isFirst?: boolean;
  readonly onStart?: () => void;
  /** Called once the model is here, as it was when the download began. */
  readonly onHere?: () => Promise<void>;
}

/** Downloads a model, shows the progress, and says why it stopped. */
export function DownloadControl({ id, label, isFirst = false, onStart, onHere }: DownloadControlProps) {
  const client = useClient();
  const queries = useQueryClient();
  const pull = useModelDownloads().get(id);
  const start = async (): Promise<void> => {
    onStart?.();
    const isHere = await startModelDownload(client, id);
    // A download that was stopped may have brought a model without its projector.
    for (const key of ['models', 'doctor']) await queries.invalidateQueries({ queryKey: [key] });
    if (isHere) await onHere?.();
  };
  if (pull !== undefined && pull.problem === null) return <Progress id={id} pull={pull} />;
  return (
    <div className="flex flex-col items-start gap-2">
      {pull?.problem !== undefined && pull.problem !== null && (
        <Notice kind="error">
          {t('models.pullFailed')} {pull.problem} {t('models.pullKept')}
        </Notice>
      )}
      <Button {...(isFirst ? { look: 'primary' } : { size: 'small' })} onClick={() => void start()}>
        <Icon name="download" className="size-3.5" /> {label ?? t('models.get')}
      </Button>
    </div>
  );
}

function Progress({ id, pull: { progress, leftMs } }: { readonly id: string; readonly pull: ModelDownload }) {
  const phase = t(`models.phase.${progress?.phase ?? 'checking'}`);
  const total = progress?.totalBytes ?? null;
  const value = total === null ? {} : { value: progress?.doneBytes ?? 0, max: total };
  return (
    <div className="flex w-full max-w-sm flex-col gap-1">
      <div className="flex items-center gap-3">
        <progress
          {...value}
          aria-label={phase}
          className="h-1.5 flex-1 appearance-none overflow-hidden rounded-full bg-chosen [&::-webkit-progress-bar]:bg-chosen [&::-webkit-progress-value]:bg-ink"
        />
        <Button size="small" look="quiet" onClick={() => cancelModelDownload(id)}>
          {t('models.cancel')}
        </Button>
      </div>
      <p className="text-sm text-soft tabular-nums">
        {phase}
        {total !== null && ` · ${t('models.progress', { done: bytes(progress?.doneBytes ?? 0), total: bytes(total) })}`}
        {leftMs !== null && ` · ${t('models.timeLeft', { time: seconds(leftMs) })}`}
      </p>
    </div>
  );
}
