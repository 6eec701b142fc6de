import { useQuery } from '@tanstack/react-query';
import type { FenceHit } from '@shared/safety/fences.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import type { StepState } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { bytes } from '../../../lib/text/format.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { t } from '../../../lib/text/translate.ts';
import { Section } from '../../../ui/layout/facts.tsx';

const roles: Readonly<Record<string, TextKey>> = {
  system: 'context.role.system',
  user: 'context.role.user',
  assistant: 'context.role.assistant',
  tool: 'context.role.tool',
};

/** The fenced parts of a step's context, with the rule for each, and what the conversation was built from. */
export function FencedParts({ sessionId, step }: { readonly sessionId: string; readonly step: StepState }) {
  const client = useClient();
  const manifest = useQuery({
    queryKey: ['manifest', sessionId, step.step, step.end === null],
    queryFn: ({ signal }) => client.sessions.manifest({ sessionId, step: step.step }, { signal }),
  });
  if (manifest.data === undefined) return null;
  return (
    <Section title={t('context.fenced')}>
      {manifest.data === null ? (
        <p className="text-sm text-soft">{t('context.fenceUnknown')}</p>
      ) : (
        <Fenced manifest={manifest.data} />
      )}
    </Section>
  );
}

function Fenced({ manifest: { parts, builtFrom } }: { readonly manifest: Manifest }) {
  const fenced = parts.filter(({ hits }) => hits.length > 0);
  if (fenced.length === 0 && builtFrom.length === 0) {
    return <p className="text-sm text-soft">{t('context.fenceNone')}</p>;
  }
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {builtFrom.map((hit) => (
        <li key={`built ${hit.rule} ${hit.path ?? ''}`} className="wrap-anywhere">
          {t('context.builtFrom', { path: seenName(hit.path ?? hit.rule) })} <Why hit={hit} />
        </li>
      ))}
      {fenced.map(({ role, origin, bytes: count, hits }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts of one call keep their places
        <li key={at} className="wrap-anywhere">
          <div className="flex justify-between gap-3">
            <span className="font-semibold">{seenName(origin ?? roleLabel(role))}</span>
            <span className="text-soft tabular-nums">{bytes(count)}</span>
          </div>
          {hits.map((hit) => (
            <p key={`${hit.rule} ${hit.path ?? ''}`} className="text-sm">
              {hit.path === null ? t('context.fence.look') : t('context.fence.content', { path: seenName(hit.path) })}{' '}
              <Why hit={hit} />
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Why({ hit: { rule, verdict } }: { readonly hit: FenceHit }) {
  return (
    <span className="text-xs text-soft">
      {seenName(rule)}: {t(`context.fence.${verdict}`)}
    </span>
  );
}

function roleLabel(role: string): string {
  const key = roles[role];
  return key === undefined ? role : t(key);
}
