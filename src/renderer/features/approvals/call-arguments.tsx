import { useState } from 'react';
import { seenPieces } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { Icon } from '../../ui/layout/icon.tsx';
import { SeenText } from '../../ui/content/seen-text.tsx';

interface WholeCallProps {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** The call that asks, with all its arguments, as the program understood it. */
export function CallArguments(props: WholeCallProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-fit items-center gap-1 rounded text-xs text-soft hover:text-ink"
      >
        <Icon name="chevron" className={`size-3 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        {t('approval.whole')}
      </button>
      {isOpen && <Arguments {...props} />}
    </div>
  );
}

function Arguments({ sessionId, toolCallId }: WholeCallProps) {
  const load = useDetail(sessionId, toolCallId, 'asked');
  if (load.type === 'loading') return <p className="text-xs text-soft">{t('step.loadingDetail')}</p>;
  if (load.type === 'failed') return <p className="text-xs text-soft">{load.text}</p>;
  const [tool] = load.detail.tools;
  const text = tool === undefined ? '' : `${tool.tool} ${JSON.stringify(tool.input, null, 2)}`;
  return <SeenText pieces={seenPieces(text)} />;
}
