import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { TerminalOutput } from '../../ui/content/terminal-output.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Licenses } from './licenses.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** Which Dewpoint this is, the licenses of what it holds, and the log of what went wrong inside it. */
export function AboutProgram() {
  const client = useClient();
  const [shown, setShown] = useState<'licenses' | 'log' | null>(null);
  const info = useQuery({
    queryKey: ['home', 'info'],
    queryFn: ({ signal }) => client.home.info(undefined, { signal }),
  });
  return (
    <Group title={t('about.title')}>
      {info.data !== undefined && <p className="text-sm">{t('about.version', { version: info.data.version })}</p>}
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          aria-expanded={shown === 'licenses'}
          onClick={() => setShown(shown === 'licenses' ? null : 'licenses')}
        >
          {t(shown === 'licenses' ? 'about.hideLicenses' : 'about.showLicenses')}
        </Button>
        <Button size="small" aria-expanded={shown === 'log'} onClick={() => setShown(shown === 'log' ? null : 'log')}>
          {t(shown === 'log' ? 'about.hideLog' : 'about.showLog')}
        </Button>
      </div>
      {shown === 'licenses' && <Licenses />}
      {shown === 'log' && <ProgramLog />}
    </Group>
  );
}

/** Read anew each time it is shown. */
function ProgramLog() {
  const client = useClient();
  const log = useQuery({
    queryKey: ['home', 'log'],
    queryFn: ({ signal }) => client.home.log(undefined, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (log.error !== null) return <Problem text={failureText(log.error)} onRetry={log.refetch} />;
  if (log.data === undefined) return <p className="text-sm text-soft">{t('settings.checking')}</p>;
  return (
    <>
      <p className="text-sm text-soft wrap-anywhere">
        {t('about.log.text')} <span className="font-mono">{folderText(log.data.folder)}</span>
      </p>
      {log.data.text === '' ? (
        <p className="text-sm">{t('about.log.empty')}</p>
      ) : (
        <TerminalOutput text={log.data.text} />
      )}
    </>
  );
}
