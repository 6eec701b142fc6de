import { useState } from 'react';
import type { ModelEntry } from '@shared/contract/contract.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface StartServerProps {
  readonly model: ModelEntry;
  readonly onDone: () => void;
}

/** The person's word that Dewpoint may start a server that is installed; it ends with Dewpoint. */
export function StartServer({ model, onDone }: StartServerProps) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  if (model.canStart !== true) return null;
  const start = async (): Promise<void> => {
    setProblem(null);
    try {
      const key = `providers.${model.id.split('/')[0] ?? ''}`;
      const own = await client.settings.get({ key });
      const before = typeof own === 'object' && own !== null ? own : { kind: 'ollama' };
      await client.settings.set({ key, value: { ...before, start: true } });
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      <Button size="small" onClick={() => void start()}>
        {t('models.start')}
      </Button>
    </>
  );
}
