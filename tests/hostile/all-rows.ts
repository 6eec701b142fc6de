import type { HostileRow } from './hostile-row.ts';
import { gitKeyRows } from './rows/git-keys.ts';

export const allRows: readonly HostileRow[] = [...gitKeyRows];
