import type { HostileRow } from './hostile-row.ts';
import { gitKeyRows } from './rows/git-keys.ts';

import { gitPlaceRows } from './rows/git-places.ts';
export const allRows: readonly HostileRow[] = [...gitKeyRows, ...gitPlaceRows];
