import type { ModelReview } from '@shared/events/approval-events.ts';
import type { ApprovalState } from '@shared/session/session-state.ts';
import { hasDeceptivePiece, seenLines, seenPieces, seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenChange } from '../../ui/content/seen-change.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { SeenText } from '../../ui/content/seen-text.tsx';

/** The subject of a question, taken from the question itself. Only marked parts are a model's words. */
export function AskedSubject({ approval }: { readonly approval: ApprovalState }) {
  const { kind, subject, hosts, text, reason, diff, review } = approval;
  const pieces = seenPieces(subject);
  return (
    <>
      {hosts !== undefined && <AskedHosts approval={approval} hosts={hosts} />}
      {hosts === undefined && text !== undefined && reason !== undefined && (
        <p className="text-sm whitespace-pre-line text-soft">{seenLines(reason)}</p>
      )}
      {review?.model !== undefined && <ModelReviewed model={review.model} />}
      <SeenText pieces={pieces} />
      {hasDeceptivePiece(pieces) && <p className="text-sm text-warn">{t('approval.strange')}</p>}
      {text !== undefined && <SeenChange text={text} diff={diff ?? null} />}
      {text !== undefined && kind === 'connection' && (
        <span className="w-fit">
          <CopyButton text={text} label={t('approval.copy-link')} />
        </span>
      )}
    </>
  );
}

/** A model's review of a program, marked as the model's words. */
function ModelReviewed({ model: { label, text } }: { readonly model: ModelReview }) {
  if (text === null) return null;
  return (
    <>
      <p className="text-sm text-soft">{t('approval.review', { model: seenName(label) })}</p>
      <SeenText pieces={seenPieces(text)} />
    </>
  );
}

interface AskedHostsProps {
  readonly approval: ApprovalState;
  readonly hosts: readonly string[];
}

/** The hosts that the command or request wants to reach, why it asks, and the model's own reason, marked as such. */
export function AskedHosts({ approval, hosts }: AskedHostsProps) {
  return (
    <>
      <ul aria-label={t('approval.hosts')} className="flex flex-wrap gap-1.5">
        {hosts.map((host) => (
          <li key={host} className="rounded-md border border-line-strong bg-sunken px-2 py-0.5 font-mono text-xs">
            {seenName(host)}
          </li>
        ))}
      </ul>
      {hosts.some((host) => host.includes('xn--')) && <p className="text-sm text-warn">{t('approval.foreign')}</p>}
      <p className="text-sm whitespace-pre-line text-soft">{seenLines(approval.reason ?? '')}</p>
      {approval.why !== undefined && (
        <>
          <p className="text-sm text-soft">{t('approval.why')}</p>
          <SeenText pieces={seenPieces(approval.why)} />
        </>
      )}
      {approval.kind === 'web' && approval.isOnce !== true && (
        <p className="text-sm text-soft">{t('approval.lasting')}</p>
      )}
      <p className="text-sm">{t(whatOf(approval))}</p>
    </>
  );
}

function whatOf({ kind }: ApprovalState): 'approval.request' | 'approval.call' | 'approval.command' {
  if (kind === 'web') return 'approval.request';
  return kind === 'connected-tool' ? 'approval.call' : 'approval.command';
}
