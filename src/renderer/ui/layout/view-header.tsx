import type { ReactNode } from 'react';

interface ViewHeaderProps {
  readonly title: string;
  /** The purpose of the view, in one sentence. */
  readonly text?: ReactNode;
  /** Actions for the view as a whole. */
  readonly children?: ReactNode;
}

/** The top of a view. In a narrow window without the list it leaves room for the button of the list. */
export function ViewHeader({ title, text, children }: ViewHeaderProps) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3 max-lg:group-data-unlisted/main:-mt-5">
      <div className="min-w-0 flex-1 basis-64">
        <h1 className="text-xl font-semibold tracking-tight wrap-anywhere max-lg:group-data-unlisted/main:pl-8">
          {title}
        </h1>
        {text !== undefined && <div className="text-soft">{text}</div>}
      </div>
      {children}
    </header>
  );
}
