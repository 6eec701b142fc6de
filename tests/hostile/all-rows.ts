import type { HostileRow } from './hostile-row.ts';
import { gitHiddenRows } from './rows/git-hidden.ts';
import { gitKeyRows } from './rows/git-keys.ts';
import { gitOwnRows } from './rows/git-own.ts';
import { gitPlaceRows } from './rows/git-places.ts';

export const gitRows: readonly HostileRow[] = [...gitKeyRows, ...gitPlaceRows, ...gitHiddenRows, ...gitOwnRows];

export const allRows: readonly HostileRow[] = gitRows;
