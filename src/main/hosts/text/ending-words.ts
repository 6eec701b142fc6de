import type { RunStatus } from '@shared/session/run-options.ts';
import { seenName } from '@shared/text/seen-text.ts';

/** How a task ended, on a line of its own. */
export const endings = {
  done: 'done',
  waiting: 'waiting for your answer',
  incomplete: 'incomplete',
  'gave-up': 'gave up',
  limit: 'stopped at a limit',
  cap: 'stopped at the spending limit',
  'needs-approval': 'stopped: an approval is needed',
  missing: 'cannot work yet',
  cancelled: 'cancelled',
  error: 'failed',
} as const satisfies Record<RunStatus, string>;

/** The same in a column or within a line. */
const shortEndings = new Map<string, string>([
  ['waiting', 'waits for you'],
  ['gave-up', 'gave up'],
  ['limit', 'at a limit'],
  ['cap', 'spending limit'],
  ['needs-approval', 'needs approval'],
  ['missing', 'cannot work yet'],
  ['error', 'failed'],
]);
/** The longest of the short words. */
export const endingWidth = 15;

export function shortEnding(status: string): string {
  return shortEndings.get(status) ?? seenName(status);
}
