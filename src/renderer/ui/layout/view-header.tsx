import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';

interface ViewHeaderProps {
  readonly title: string;
  /** Before the title. */
  readonly sign?: ReactNode;
  /** The purpose of the view, in one sentence. */
  readonly text?: ReactNode;
  /** Actions for the view as a whole. */
  readonly children?: ReactNode;
}

/**
 * The top of a view. It takes the focus where the last view took it along, so that keys and screen readers begin here. In a narrow window without the list it leaves room for the button of the list.
 */
export function ViewHeader({ title, sign, text, children }: ViewHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3 max-lg:group-data-unlisted/main:-mt-5">
      <div className="min-w-0 flex-1 basis-64">
        <h1
          ref={heading}
          tabIndex={-1}
          className="flex items-center gap-3 text-xl outline-none font-semibold tracking-tight wrap-anywhere max-lg:group-data-unlisted/main:pl-8"
        >
          {sign}
          {title}
        </h1>
        {text !== undefined && <div className="text-soft">{text}</div>}
      </div>
      {children}
    </header>
  );
}
