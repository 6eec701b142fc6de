import { t } from '../../lib/text/translate.ts';
import type { LogPlace } from '../../lib/session/use-log-detail.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { Markdown } from '../../ui/content/markdown.tsx';

interface WholeTextProps {
  readonly sessionId: string;
  /** The model call to load from. */
  readonly place: LogPlace;
  /** The text of the folded state: complete, or its beginning with a mark at the end. */
  readonly text: string;
}

/**
 * Whether a text ends with the fold's mark. A text with this ending of its own is loaded needlessly and stays the same.
 */
export function isCut(text: string): boolean {
  return text.endsWith('…');
}

/** A text in full. If the fold kept only its beginning, the rest is loaded from the log. */
export function WholeText(props: WholeTextProps) {
  return isCut(props.text) ? <FromLog {...props} /> : <Markdown text={props.text} />;
}

function FromLog({ sessionId, place, text }: WholeTextProps) {
  const load = useDetail(sessionId, place, 'text');
  return (
    <>
      <Markdown text={load.type === 'ready' ? (load.detail.text ?? text) : text} />
      {load.type === 'failed' && (
        <p className="text-xs text-soft">
          {t('step.detailFailed')} {load.text}
        </p>
      )}
    </>
  );
}

/** The same as a string: the beginning until the log has answered. */
export function useWholeText(sessionId: string, place: LogPlace, text: string): string {
  const load = useDetail(sessionId, place, 'text', isCut(text));
  return load.type === 'ready' ? (load.detail.text ?? text) : text;
}
