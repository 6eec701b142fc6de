import { t } from '../../lib/texts.ts';
import { useDetail } from '../../lib/use-detail.ts';
import { Markdown } from '../../ui/markdown.tsx';

interface WholeTextProps {
  readonly sessionId: string;
  /** Of the message, the turn or the model call. */
  readonly id: string;
  /** As the folded state has it: whole, or its beginning with a mark at the end. */
  readonly text: string;
  readonly isMarkdown: boolean;
}

/** A text as it is; where only its beginning was kept, the rest comes from the log. */
export function WholeText(props: WholeTextProps) {
  const { text, isMarkdown } = props;
  // The mark of the fold; a text that ends so by itself is looked up for nothing, and is the same.
  const isCut = text.endsWith('…');
  if (isCut) return <FromLog {...props} />;
  return isMarkdown ? <Markdown text={text} /> : <Plain text={text} />;
}

function FromLog({ sessionId, id, text, isMarkdown }: WholeTextProps) {
  const load = useDetail(sessionId, id, 'text');
  const whole = load.type === 'ready' ? (load.detail.text ?? text) : text;
  return (
    <>
      {isMarkdown ? <Markdown text={whole} /> : <Plain text={whole} />}
      {load.type === 'failed' && (
        <p className="text-xs text-soft">
          {t('step.detailFailed')} {load.text}
        </p>
      )}
    </>
  );
}

function Plain({ text }: { readonly text: string }) {
  return <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>;
}
