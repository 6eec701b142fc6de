import { Children, isValidElement, lazy, Suspense, useMemo } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { Streamdown, useIsCodeFenceIncomplete } from 'streamdown';
import { chartInFence } from '@shared/tools/canvas.ts';
import { t } from '../../lib/text/translate.ts';
import { formulaMark, markMath } from '@shared/text/mark-math.ts';
import { pathInCode } from '../../lib/session/use-open-file.ts';
import { markCitations } from '../../lib/text/mark-citations.ts';
import { Citation } from './citation.tsx';
import { CodeBlock } from './code-block.tsx';
import { Diagram } from './diagram.tsx';
import { FilePath } from './file-path.tsx';
import { Formula } from './formula.tsx';
import { TableView } from './table-view.tsx';

const CanvasView = lazy(() => import('../canvas/canvas-view.tsx'));

interface MarkdownViewProps {
  readonly text: string;
  /** More text is coming, so open marks are closed for now. */
  readonly isGrowing: boolean;
}

/**
 * A model's text as Markdown. Nothing in it is loaded or run: images appear as names, links show their address and do
 * not open by themselves, and HTML stays text.
 */
export default function MarkdownView({ text, isGrowing }: MarkdownViewProps) {
  const marked = useMemo(() => markMath(text), [text]);
  return (
    <Streamdown
      className="prose"
      mode={isGrowing ? 'streaming' : 'static'}
      parseIncompleteMarkdown={isGrowing}
      components={components}
      // The end of a growing text may be half of a citation.
      rehypePlugins={isGrowing ? none : citations}
      controls={false}
    >
      {marked}
    </Streamdown>
  );
}

const none: [] = [];
const citations = [markCitations];

const components = {
  a: ({ href, children }: ComponentProps<'a'>) => {
    const address = href ?? '';
    // A footnote's number. Its note stands at the end, and leads nowhere.
    if (address.startsWith('#user-content-fnref-')) return null;
    if (address.startsWith('#user-content-fn-')) return children;
    const isSame = textOf(children) === address;
    return (
      <span title={address}>
        <span className="underline decoration-line-strong decoration-dotted underline-offset-3">{children}</span>
        {!isSame && address !== '' && <span className="text-soft"> ({address})</span>}
      </span>
    );
  },
  img: ({ src, alt }: ComponentProps<'img'>) => (
    <span className="inline-block max-w-full rounded border border-dashed border-line-strong px-1.5 py-0.5 text-xs text-soft">
      {t('code.noImage', { source: [alt, src].filter((part) => part !== undefined && part !== '').join(', ') })}
    </span>
  ),
  input: ({ checked }: ComponentProps<'input'>) => (
    <input
      type="checkbox"
      checked={checked === true}
      readOnly
      disabled
      aria-label={t(checked === true ? 'answer.done' : 'answer.open')}
    />
  ),
  pre: ({ children }: ComponentProps<'pre'>) => <Fence>{children}</Fence>,
  inlineCode: CodeSpan,
  code: CodeSpan,
  cite: Citation,
  table: ({ children }: ComponentProps<'table'>) => <TableView>{children}</TableView>,
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  // List marks are on the side where the text begins.
  ul: ({ children }: ComponentProps<'ul'>) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }: ComponentProps<'ol'>) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  li: 'li',
  p: 'p',
  h1: 'h3',
  h2: ({ className, children }: ComponentProps<'h2'>) =>
    // The label of the footnotes is no heading of the answer.
    className === 'sr-only' ? <p className="sr-only">{children}</p> : <h4>{children}</h4>,
  h3: 'h5',
  h4: 'h6',
  blockquote: 'blockquote',
  hr: 'hr',
  strong: 'strong',
} as const;

/** A code block: its own element, or one with its text in an inner `code`. */
function Fence({ children }: { readonly children?: ReactNode }) {
  const isOpen = useIsCodeFenceIncomplete();
  const inner = Children.toArray(children).find((child) => isValidElement<ComponentProps<'code'>>(child));
  const props = isValidElement<ComponentProps<'code'>>(inner) ? inner.props : null;
  const language = /language-(\S+)/u.exec(props?.className ?? '')?.[1] ?? '';
  const code = textOf(props === null ? children : props.children);
  if (!isOpen && language === 'mermaid') return <Diagram source={code} />;
  if (!isOpen && language === 'math') return <Formula tex={code} isBlock />;
  const block = <CodeBlock code={code} language={language} isGrowing={isOpen} />;
  const chart = isOpen ? null : chartInFence(language, code);
  if (chart === null) return block;
  return (
    <Suspense fallback={block}>
      <CanvasView input={chart} picture={null} wrong={block} />
    </Suspense>
  );
}

/** Inline code, or a marked formula. */
function CodeSpan({ children }: ComponentProps<'code'>) {
  const text = textOf(children);
  if (text.startsWith(formulaMark)) return <Formula tex={text.slice(formulaMark.length)} />;
  const file = pathInCode(text);
  const words = file === null ? children : <FilePath {...file}>{children}</FilePath>;
  return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">{words}</code>;
}

function textOf(children: ReactNode): string {
  return Children.toArray(children)
    .map((child) => {
      if (typeof child === 'string' || typeof child === 'number') return String(child);
      return isValidElement<{ readonly children?: ReactNode }>(child) ? textOf(child.props.children) : '';
    })
    .join('');
}
