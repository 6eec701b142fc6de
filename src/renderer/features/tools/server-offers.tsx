import type { ToolServerReport } from '@shared/tools/server-definition.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { Work } from '../../lib/connection/use-work.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';

interface ServerOffersProps {
  readonly server: ToolServerReport;
  readonly work: Work;
}

/**
 * What would help a program that cannot work in its container: a host that it asked for, or a place on this machine.
 * Each is a change that needs approval like any other.
 */
export function ServerOffers({ server, work }: ServerOffersProps) {
  const client = useClient();
  const { name, definition, hostOnly, wants } = server;
  if (definition.kind !== 'stdio' || definition.where === 'host') return null;
  const isFailed = server.problem !== null || work.problem !== null;
  if (hostOnly === null && wants.length === 0 && !isFailed) return null;
  const change = (part: Partial<typeof definition>): void =>
    void work.run((signal) => client.tools.change({ name, definition: { ...definition, ...part } }, { signal }));
  const list = wants.map(seenName).join(', ');
  return (
    <Notice kind="info">
      <div className="flex flex-col gap-2">
        {hostOnly !== null && <p>{t(`tools.hostOnly.${hostOnly}`)}</p>}
        {wants.length > 0 && <p>{t('tools.wants', { list })}</p>}
        {hostOnly === null && wants.length === 0 && <p>{t('tools.offers.failed')}</p>}
        <div className="flex flex-wrap gap-2">
          {wants.length > 0 && (
            <Button
              size="small"
              disabled={work.isBusy}
              onClick={() => change({ hosts: [...definition.hosts, ...wants] })}
            >
              {t('tools.offers.allow', { list })}
            </Button>
          )}
          <Button size="small" disabled={work.isBusy} onClick={() => change({ where: 'host', hosts: [] })}>
            {t('tools.offers.host')}
          </Button>
        </div>
      </div>
    </Notice>
  );
}
