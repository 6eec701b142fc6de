import { useQuery } from '@tanstack/react-query';
import type { StepState } from '@shared/session/session-state.ts';
import type { TrimmedPart, Trimming } from '@shared/session/prompt-trimming.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { bytes } from '../../../lib/text/format.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Section } from '../../../ui/layout/facts.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

interface TrimmedPartsProps {
  readonly sessionId: string;
  readonly step: StepState;
}

/** The parts that a step's model was not shown, each with a link to the whole. */
export function TrimmedParts({ sessionId, step }: TrimmedPartsProps) {
  const client = useClient();
  const trimmed = useQuery({
    queryKey: ['trimmed', sessionId, step.callId],
    queryFn: ({ signal }) => client.sessions.trimmed({ sessionId, callId: step.callId }, { signal }),
    // What a call was shown never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (trimmed.error !== null) return <Problem text={failureText(trimmed.error)} onRetry={trimmed.refetch} />;
  if (trimmed.data === undefined) return null;
  const none = step.stage.strategy === 'recipe' ? 'context.trimmed.recipe' : 'context.trimmed.none';
  return (
    <Section title={t('context.trimmed')}>
      {trimmed.data.length === 0 ? (
        <p className="text-sm text-soft">{t(none)}</p>
      ) : (
        <ul className="flex flex-col gap-2.5 text-sm">
          {trimmed.data.map((one) => (
            <li key={`${one.why}:${one.seq}`} data-trimmed={one.why}>
              {one.why === 'summary' ? (
                <Summed sessionId={sessionId} trimming={one} />
              ) : (
                <Shortened sessionId={sessionId} trimming={one} why={one.why} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface OneProps {
  readonly sessionId: string;
  readonly trimming: Trimming;
}

function Shortened({ sessionId, trimming, why }: OneProps & { readonly why: 'long' | 'room' | 'attached' }) {
  const [part] = trimming.parts;
  if (part === undefined) return null;
  return (
    <>
      <Line sessionId={sessionId} part={part} sizes={sizesOf(trimming)} />
      <p className="text-sm text-soft">{t(`context.trimmed.${why}`)}</p>
    </>
  );
}

function Summed({ sessionId, trimming }: OneProps) {
  const { parts } = trimming;
  return (
    <>
      <div className="flex justify-between gap-3">
        <span>{plural('context.trimmed.summary', parts.length)}</span>
        <span className="whitespace-nowrap text-soft tabular-nums">{sizesOf(trimming)}</span>
      </div>
      <p className="text-sm text-soft">{t('context.trimmed.summaryWhy')}</p>
      <Fold label={t('context.parts.show')}>
        <ul className="mt-1.5 flex flex-col gap-1 pl-4">
          {parts.map((part, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- parts of one summary keep their places
            <li key={at}>
              <Line sessionId={sessionId} part={part} sizes={bytes(part.bytes)} />
            </li>
          ))}
        </ul>
      </Fold>
    </>
  );
}

interface LineProps {
  readonly sessionId: string;
  readonly part: TrimmedPart;
  readonly sizes: string;
}

/** The name links to the place with the whole text. */
function Line({ sessionId, part: { what, label, ref }, sizes }: LineProps) {
  const navigate = useNavigate();
  const kind = t(`context.trimmed.what.${what}`);
  return (
    <div className="flex justify-between gap-3">
      <span className="min-w-0 wrap-anywhere">
        <span className="mr-1.5 text-xs text-soft">{kind}</span>
        {ref === null ? (
          seenName(label)
        ) : (
          <button
            type="button"
            className="rounded text-left underline decoration-line-strong underline-offset-2 hover:decoration-current"
            onClick={() => navigate({ type: 'session', sessionId, at: { ref } })}
          >
            {seenName(label)}
          </button>
        )}
      </span>
      <span className="whitespace-nowrap text-soft tabular-nums">{sizes}</span>
    </div>
  );
}

function sizesOf({ parts, afterBytes }: Trimming): string {
  const before = parts.reduce((sum, part) => sum + part.bytes, 0);
  return t('context.trimmed.sizes', { before: bytes(before), after: bytes(afterBytes) });
}
