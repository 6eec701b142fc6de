import { t } from '../../lib/text/translate.ts';
import type { LogPlace } from '../../lib/session/use-log-detail.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { Markdown } from '../../ui/content/markdown.tsx';

interface WholeTextProps {
  readonly sessionId: string;
  /** Of the model call. */
  readonly place: LogPlace;
  /** As the folded state has it: whole, or its beginning with a mark at the end. */
  readonly text: string;
}

/** The mark of the fold; a text that ends so by itself is looked up for nothing, and is the same. */
export function isCut(text: string): boolean {
  return text.endsWith('…');
}

/** A text as it is; where only its beginning was kept, the rest comes from the log. */
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

/** The same as a text: its beginning until the log has answered. */
export function useWholeText(sessionId: string, place: LogPlace, text: string): string {
  const load = useDetail(sessionId, place, 'text', isCut(text));
  return load.type === 'ready' ? (load.detail.text ?? text) : text;
}
