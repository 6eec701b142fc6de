import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KnownServer } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { useToolWork } from './use-tool-servers.ts';

/** Well-known servers that start without an account. Adding one starts nothing. */
export function KnownServers() {
  const client = useClient();
  const known = useQuery({
    queryKey: ['known-tool-servers'],
    queryFn: ({ signal }) => client.tools.known(undefined, { signal }),
    staleTime: Infinity,
  });
  return (
    <div className="flex flex-col gap-2 pt-3">
      {known.error !== null && <Problem text={failureText(known.error)} onRetry={known.refetch} />}
      <ul className="flex flex-col divide-y divide-line">
        {(known.data ?? []).map((server) => (
          <KnownRow key={server.name} server={server} />
        ))}
      </ul>
    </div>
  );
}

function KnownRow({ server }: { readonly server: KnownServer }) {
  const client = useClient();
  const work = useToolWork();
  const [folder, setFolder] = useState('');
  const { name, does, line, needs, asksFolder } = server;
  const add = (): void =>
    void work.run((signal) => client.tools.addKnown({ name, ...(asksFolder ? { folder } : {}) }, { signal }));
  return (
    <li aria-label={name} className="flex flex-col gap-2 py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm">
            <span className="font-semibold">{name}</span> <span className="text-soft">{does}.</span>
          </p>
          <p className="font-mono text-xs text-soft wrap-anywhere">{line}</p>
          {needs !== null && <p className="text-xs text-soft">{t('tools.known.needs', { what: needs })}</p>}
        </div>
        <Button
          size="small"
          aria-label={t('tools.known.addOne', { name })}
          disabled={work.isBusy || (asksFolder && folder.trim() === '')}
          onClick={add}
        >
          {t('tools.known.add')}
        </Button>
      </div>
      {asksFolder && (
        <FolderField
          label={t('tools.known.folder')}
          hint={t('tools.known.folderHint')}
          folder={folder}
          known={[]}
          onChange={setFolder}
        />
      )}
      {work.problem !== null && <Problem text={work.problem} />}
    </li>
  );
}
