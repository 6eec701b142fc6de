import type { ExecResult } from '../../sandbox/sandbox.ts';

/** Why the sandbox killed a command, to go on a sentence: "killed because it ran out of memory". */
export function killedText({ killedFor = 'signal' }: Pick<ExecResult, 'killedFor'>): string {
  return reasons[killedFor];
}

const reasons = {
  memory: 'because it ran out of memory',
  output: 'because it printed too much',
  disk: 'because the disk is nearly full',
  signal: 'by a signal; the limit of memory was not reached',
} as const satisfies Readonly<Record<NonNullable<ExecResult['killedFor']>, string>>;
