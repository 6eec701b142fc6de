import { useQuery } from '@tanstack/react-query';
import type { NetworkHistory } from '@shared/sandbox/sandbox-view.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { bytes } from '../../../lib/text/format.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Section } from '../../../ui/layout/facts.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { ProjectHosts } from '../../../ui/project/project-hosts.tsx';

interface SandboxNetworkProps {
  readonly sessionId: string;
  readonly projectPath: string | null;
  /** Changes when the log may have more. */
  readonly version: string;
}

/** Hosts that commands reached or were refused, the user's answers, and the rules from now on. */
export function SandboxNetwork({ sessionId, projectPath, version }: SandboxNetworkProps) {
  const client = useClient();
  const history = useQuery({
    queryKey: ['network', sessionId, version],
    queryFn: ({ signal }) => client.sandboxes.network({ sessionId }, { signal }),
  });
  return (
    <Section title={t('sandbox.network')}>
      {history.error !== null && <Problem text={failureText(history.error)} onRetry={history.refetch} />}
      {history.data !== undefined && <History history={history.data} />}
      {projectPath !== null && <ProjectHosts projectPath={projectPath} />}
    </Section>
  );
}

const reasonTexts: Readonly<Record<string, TextKey>> = {
  'not-listed': 'sandbox.why.notListed',
  'bad-host': 'sandbox.why.notListed',
  'bad-port': 'sandbox.why.port',
  'inner-address': 'sandbox.why.inner',
  'no-address': 'sandbox.why.noAddress',
  unreachable: 'sandbox.why.unreachable',
  'not-tls': 'sandbox.why.notTls',
  'other-name': 'sandbox.why.otherName',
  'too-many-connections': 'sandbox.why.much',
  'too-many-bytes': 'sandbox.why.much',
  'timed-out': 'sandbox.why.timedOut',
};

/** Why a connection was refused. An unknown reason keeps the log's word. */
function reasonText(reason: string): string {
  const key = reasonTexts[reason];
  return key === undefined ? seenWords(reason) : t(key);
}

function History({ history: { uses, answers } }: { readonly history: NetworkHistory }) {
  if (uses.length === 0 && answers.length === 0) return <p className="text-sm text-soft">{t('sandbox.noNetwork')}</p>;
  return (
    <>
      <ul className="flex flex-col gap-1.5 text-sm">
        {uses.toReversed().map((use) => (
          <li key={`${use.toolCallId} ${use.host} ${use.port ?? ''} ${use.isAllowed}`}>
            <div className="flex gap-2">
              <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">
                {seenName(use.port === null ? use.host : `${use.host}:${use.port}`)}
              </span>
              <span className={`text-xs ${use.isAllowed ? 'text-soft' : 'text-bad'}`}>
                {t(use.isAllowed ? 'sandbox.reached' : 'sandbox.notReached')}
              </span>
            </div>
            <p className="text-sm text-soft">
              {use.isAllowed
                ? `${plural('sandbox.connections', use.count)} · ${t('sandbox.traffic', { sent: bytes(use.sentBytes), received: bytes(use.receivedBytes) })}`
                : reasonText(use.reason)}
            </p>
          </li>
        ))}
      </ul>
      {answers.length > 0 && (
        <ul className="flex flex-col gap-1 text-sm text-soft">
          {answers.toReversed().map((answer) => (
            <li key={`${answer.at} ${answer.hosts.join(' ')}`} className="wrap-anywhere">
              {t(`sandbox.answer.${answer.answer === 'deny' ? 'deny' : answer.scope}`, {
                hosts: answer.hosts.map(seenName).join(', '),
              })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
