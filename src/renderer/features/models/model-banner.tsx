import { useEffect, useState } from 'react';
import type { ModelEntry, PullProgress } from '@shared/contract.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { megabytes } from '../../lib/format.ts';
import { Notice } from '../../ui/notice.tsx';

interface ModelBannerProps {
  readonly client: CoreClient;
}

/** Says when the chosen local model is not on this machine, and fetches it when asked to. */
export function ModelBanner({ client }: ModelBannerProps) {
  const [model, setModel] = useState<ModelEntry | null>(null);
  const [progress, setProgress] = useState<PullProgress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    findMissing(client, stop.signal).then(
      (missing) => void (stop.signal.aborted || setModel(missing)),
      (error: unknown) => void (stop.signal.aborted || setProblem(failureText(error))),
    );
    return () => stop.abort();
  }, [client]);
  const pull = async (id: string): Promise<void> => {
    setProblem(null);
    try {
      for await (const step of await client.models.pull({ id })) setProgress(step);
      setModel(null);
    } catch (error) {
      setProblem(failureText(error));
    }
    setProgress(null);
  };
  return (
    <>
      {problem !== null && <Notice kind="error">{problem}</Notice>}
      {model !== null && (
        <Notice kind="warning">
          <p>
            The local model {model.label} is not on this machine yet
            {model.sizeBytes === null ? '' : ` (${megabytes(model.sizeBytes)}, once)`}.
          </p>
          {progress === null ? (
            <button type="button" onClick={() => void pull(model.id)}>
              Download it
            </button>
          ) : (
            <Progress progress={progress} />
          )}
        </Notice>
      )}
    </>
  );
}

function Progress({ progress: { phase, doneBytes, totalBytes, text } }: { readonly progress: PullProgress }) {
  return (
    <p>
      <progress aria-label={phase} {...(totalBytes === null ? {} : { value: doneBytes, max: totalBytes })} /> {phase}{' '}
      {totalBytes !== null && `${megabytes(doneBytes)} of ${megabytes(totalBytes)} `}
      <span className="muted">{text}</span>
    </p>
  );
}

async function findMissing(client: CoreClient, signal: AbortSignal): Promise<ModelEntry | null> {
  const [models, chosen] = await Promise.all([
    client.models.list(undefined, { signal }),
    client.settings.get({ key: 'local' }, { signal }),
  ]);
  return models.find((model) => model.id === chosen && model.state === 'downloadable') ?? null;
}
