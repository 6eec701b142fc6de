import type { HostileRow } from './hostile-row.ts';
import { gitHiddenRows } from './rows/git-hidden.ts';
import { gitKeyRows } from './rows/git-keys.ts';
import { gitOwnRows } from './rows/git-own.ts';
import { gitPlaceRows } from './rows/git-places.ts';
import { openedRows } from './rows/opened.ts';
import { packageRows } from './rows/packages.ts';

/** What Git on the user's machine can be made to run. */
export const gitRows: readonly HostileRow[] = [...gitKeyRows, ...gitPlaceRows, ...gitHiddenRows, ...gitOwnRows];

/** What users open, install, build and test next. */
export const nextRows: readonly HostileRow[] = [...packageRows, ...openedRows];

export const allRows: readonly HostileRow[] = [...gitRows, ...nextRows];
