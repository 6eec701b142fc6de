import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';

interface RemoveModelProps {
  readonly model: ModelEntry;
  readonly onDone: () => void;
}

/** Deletes a download after a second click that names the size. Forgets an import, with Undo. */
export function RemoveModel({ model, onDone }: RemoveModelProps) {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const isRefused = useIsCommandRefused('models.remove');
  const { file } = model;
  if (isRefused || file === undefined || (file.isOurs && file.hereBytes === 0)) return null;
  const remove = async (): Promise<void> => {
    setProblem(null);
    try {
      await client.models.remove({ id: model.id });
      if (!file.isOurs) {
        const again = async (): Promise<void> => {
          await client.models.import({ path: file.path, name: model.id.slice(model.id.indexOf('/') + 1) });
          onDone();
        };
        offerUndo(t('models.forgotten', { model: seenName(model.label) }), again);
      }
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
    setAsking(false);
  };
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {isAsking ? (
        <span className="flex items-center gap-2">
          <Button size="small" look="danger" onClick={() => void remove()}>
            {t('models.delete', { size: bytes(file.hereBytes) })}
          </Button>
          <Button size="small" look="quiet" onClick={() => setAsking(false)}>
            {t('models.cancel')}
          </Button>
        </span>
      ) : (
        <Button size="small" onClick={() => (file.isOurs ? setAsking(true) : void remove())}>
          {t(file.isOurs ? 'models.remove' : 'models.forget')}
        </Button>
      )}
    </>
  );
}
