import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  /** A count beside the label; 0 is not shown. */
  readonly count?: number;
}

interface TabsProps<Id extends string> {
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  readonly label: string;
  /** A button over the right end of the list. The keyboard reaches it after the list, in visible order. */
  readonly corner: ReactNode;
  /** The content of the selected tab. */
  readonly children: ReactNode;
}

export function Tabs<Id extends string>({ tabs, selected, onSelect, label, corner, children }: TabsProps<Id>) {
  const choose = (value: string): void => {
    const tab = tabs.find((candidate) => candidate.id === value);
    if (tab !== undefined) onSelect(tab.id);
  };
  const list = useRef<HTMLDivElement>(null);
  // With too many tabs to fit, the open one is scrolled into view, with the beginning of its neighbors.
  useEffect(() => {
    list.current?.querySelector('[data-state=active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <Primitive.Root value={selected} onValueChange={choose} className="flex min-h-0 flex-1 flex-col">
      <div className={`shrink-0 border-b border-line ${corner === null ? '' : 'pr-11'}`}>
        <Primitive.List
          ref={list}
          aria-label={label}
          className="fading-edges no-scrollbar flex h-11 scroll-px-14 items-center gap-0.5 overflow-x-auto"
        >
          {tabs.map((tab) => (
            <Primitive.Trigger
              key={tab.id}
              value={tab.id}
              className="flex h-7 shrink-0 items-center gap-1 rounded-md px-1.5 text-sm whitespace-nowrap text-soft hover:text-ink data-[state=active]:bg-chosen data-[state=active]:text-ink"
            >
              {tab.label}
              {tab.count !== undefined && tab.count > 0 && (
                <span className="rounded bg-ink px-1 text-xs leading-4 text-paper tabular-nums">{tab.count}</span>
              )}
            </Primitive.Trigger>
          ))}
        </Primitive.List>
      </div>
      {corner}
      {tabs.map((tab) => (
        <Primitive.Content
          key={tab.id}
          value={tab.id}
          className="min-h-0 flex-1 overflow-y-auto p-4 outline-offset-[-2px]"
        >
          {tab.id === selected && children}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
