import type { ApprovalState } from '@shared/session/session-state.ts';
import { hasDeceptivePiece, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenChange } from '../../ui/content/seen-change.tsx';
import { SeenText } from '../../ui/content/seen-text.tsx';
import { AskedHosts } from './asked-hosts.tsx';

/** What is asked about, from the question itself: nothing of it is a model's prose but what is marked so. */
export function AskedSubject({ approval }: { readonly approval: ApprovalState }) {
  const { subject, hosts, text, reason, diff } = approval;
  const pieces = seenPieces(subject);
  return (
    <>
      {hosts !== undefined && <AskedHosts approval={approval} hosts={hosts} />}
      {text !== undefined && reason !== undefined && <p className="text-xs text-soft">{seenWords(reason)}</p>}
      <SeenText pieces={pieces} />
      {hasDeceptivePiece(pieces) && <p className="text-xs text-warn">{t('approval.strange')}</p>}
      {text !== undefined && <SeenChange text={text} diff={diff ?? null} />}
    </>
  );
}
