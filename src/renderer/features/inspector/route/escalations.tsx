import { useQuery } from '@tanstack/react-query';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { t } from '../../../lib/text/translate.ts';
import { Section } from '../../../ui/layout/facts.tsx';

interface EscalationsProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly onStep: (callId: string) => void;
}

/** Which steps a failure moved, and why; nothing where none was. */
export function Escalations({ sessionId, state, onStep }: EscalationsProps) {
  const client = useClient();
  const found = useQuery({
    queryKey: ['escalations', sessionId, state.steps.length],
    queryFn: ({ signal }) => client.sessions.escalations({ sessionId }, { signal }),
    placeholderData: (last) => last,
  });
  if (found.data === undefined || found.data.length === 0) return null;
  return (
    <Section title={t('route.escalations')}>
      <ul className="flex flex-col gap-2 text-sm">
        {found.data.map(({ callId, step, kind, cause, text }) => (
          <li key={callId} className="wrap-anywhere">
            <button type="button" className="text-left hover:underline" onClick={() => onStep(callId)}>
              {t(`route.escalated.${kind}`, { step: step ?? '?' })}: {t(`route.cause.${cause}`)}
            </button>
            <p className="text-xs text-soft">{seenWords(text)}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
