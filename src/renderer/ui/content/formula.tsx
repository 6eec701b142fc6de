import { useEffect, useRef, useState } from 'react';
import { formulaBounds, formulaOptions } from '@shared/text/mark-math.ts';
import { t } from '../../lib/text/translate.ts';
import { WideContent } from '../layout/wide-content.tsx';

interface FormulaProps {
  /** In LaTeX. */
  readonly tex: string;
  /** On a line of its own. */
  readonly isBlock?: boolean;
}

/**
 * A formula as MathML, which needs no styles and no HTML from the text. One that cannot be parsed is shown as source.
 */
export function Formula({ tex, isBlock = false }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [state, setState] = useState<'waiting' | 'drawn' | { readonly problem: string }>('waiting');
  useEffect(() => {
    let isWanted = true;
    draw(tex, isBlock).then(
      (drawn) => {
        if (!isWanted || place.current === null) return;
        place.current.replaceChildren(drawn);
        setState('drawn');
      },
      (error: unknown) => void (isWanted && setState({ problem: error instanceof Error ? error.message : '' })),
    );
    return () => {
      isWanted = false;
    };
  }, [tex, isBlock]);
  const formula = (
    <>
      <span ref={place} data-formula className={state === 'drawn' ? undefined : 'hidden'} />
      {state !== 'drawn' && (
        <code
          className="rounded bg-sunken px-1 py-0.5 font-mono text-xs"
          title={typeof state === 'object' ? t('formula.failed', { reason: state.problem }) : undefined}
        >
          {tex}
        </code>
      )}
    </>
  );
  return isBlock ? (
    <WideContent>
      <div className="overflow-y-hidden py-1.5">{formula}</div>
    </WideContent>
  ) : (
    formula
  );
}

async function draw(tex: string, isBlock: boolean): Promise<Node> {
  const bounds = formulaBounds(tex);
  if (bounds === null) throw new Error(t('formula.tooLong'));
  const { default: katex } = await import('katex');
  const place = document.createElement('span');
  katex.render(tex, place, { ...formulaOptions, displayMode: isBlock, maxExpand: bounds.maxExpand });
  return place;
}
