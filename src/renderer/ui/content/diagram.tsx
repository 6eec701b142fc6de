import { useEffect, useState, useSyncExternalStore } from 'react';
import { seenText } from '@shared/text/seen-text.ts';
import type { DrawnDiagram } from '../../lib/drawing/draw-diagram.ts';
import { t } from '../../lib/text/translate.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Notice } from '../notices/notice.tsx';
import { WideContent } from '../layout/wide-content.tsx';
import { CodeLines } from './code-lines.tsx';
import { SaveButton } from './save-button.tsx';

const language = 'mermaid';

/** A Mermaid diagram. If it cannot be drawn, shows the reason and its source. */
export function Diagram({ source }: { readonly source: string }) {
  const isDark = useIsDark();
  const [drawn, setDrawn] = useState<DrawnDiagram | null>(null);
  const [isSource, setIsSource] = useState(false);
  const [isWhole, setIsWhole] = useState(true);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    let isWanted = true;
    const take = (next: DrawnDiagram): void => void (isWanted && setDrawn(next));
    import('../../lib/drawing/draw-diagram.ts')
      .then(({ drawDiagram }) => drawDiagram(source, isDark))
      .then(take, () => take({ ok: false, reason: t('diagram.notLoaded') }));
    return () => {
      isWanted = false;
    };
  }, [source, isDark]);
  const canShow = drawn?.ok === true;
  return (
    <figure data-diagram className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line pr-1 pl-3 text-xs text-soft">
        <span className="flex-1 font-mono">{language}</span>
        {canShow && isWide && !isSource && (
          <button
            type="button"
            aria-pressed={!isWhole}
            className="rounded px-1.5 py-0.5 text-xs hover:bg-chosen hover:text-ink"
            onClick={() => setIsWhole(!isWhole)}
          >
            {t('diagram.actualSize')}
          </button>
        )}
        {canShow && (
          <button
            type="button"
            aria-pressed={isSource}
            className="rounded px-1.5 py-0.5 text-xs hover:bg-chosen hover:text-ink"
            onClick={() => setIsSource(!isSource)}
          >
            {t('diagram.source')}
          </button>
        )}
        <SaveButton text={source} name="diagram.mmd" />
        <CopyButton text={source} label={t('code.copy')} />
      </figcaption>
      {drawn?.ok === false && (
        <Notice kind="warning" className="m-2">
          <p>{t('diagram.failed')}</p>
          <p className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">{seenText(drawn.reason)}</p>
        </Notice>
      )}
      {canShow && !isSource ? (
        <WideContent>
          <img
            src={drawn.url}
            width={drawn.width}
            height={drawn.height}
            alt={t('diagram.alt')}
            className={`mx-auto my-3 block h-auto ${isWhole ? 'max-w-full' : 'max-w-none'}`}
            onLoad={({ currentTarget }) => {
              if (isWhole) setIsWide(currentTarget.clientWidth < drawn.width);
            }}
            onError={() => setDrawn({ ok: false, reason: t('diagram.noImage') })}
          />
        </WideContent>
      ) : (
        <CodeLines code={source} language="" />
      )}
    </figure>
  );
}

/** Whether the page is dark now, for content that cannot use the style sheet's colors. */
function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

function subscribe(listener: () => void): () => void {
  const look = new MutationObserver(listener);
  look.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => look.disconnect();
}
