import { useMemo, useState } from 'react';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { ListFilter } from '../session/list-filter.ts';
import { noFilter } from '../session/list-filter.ts';
import type { ChosenItems } from '../session/use-selection.ts';

/** What is looked for and chosen in the list of sessions. It survives while the list is hidden. */
export interface ListSearch {
  readonly text: string;
  readonly filter: ListFilter;
  /** The key of the project that alone is shown. */
  readonly project: string | null;
  readonly selected: readonly [ChosenItems | null, (chosen: ChosenItems | null) => void];
  readonly setText: (text: string) => void;
  readonly setFilter: (filter: ListFilter) => void;
  readonly setProject: (project: string | null) => void;
}

/** A project that has left is no longer chosen. */
export function useListSearch(projects: readonly ListedProject[]): ListSearch {
  const [text, setText] = useState('');
  const [filter, setFilter] = useState(noFilter);
  const [chosen, setProject] = useState<string | null>(null);
  const [selection, setSelection] = useState<ChosenItems | null>(null);
  const project = projects.some(({ path }) => path === chosen) ? chosen : null;
  return useMemo(
    () => ({ text, filter, project, selected: [selection, setSelection], setText, setFilter, setProject }),
    [text, filter, project, selection],
  );
}
