import type { Where } from '@shared/models/model-info.ts';

const looks = {
  local: 'rounded-full bg-local',
  // A diamond, for users who cannot see the color.
  cloud: 'rotate-45 rounded-[1px] bg-cloud',
} as const;

interface RouteDotProps {
  readonly where: Where;
  readonly outcome?: 'running' | 'done' | 'failed' | 'stopped';
}

const marks = {
  running: 'animate-[breathe_1.6s_ease-in-out_infinite]',
  done: '',
  failed: 'bg-transparent! border-2 border-bad',
  // A bar, as on the Stop button.
  stopped: 'h-1! rounded-none! rotate-0! bg-warn!',
} as const;

/** Where a step ran: round is local, a diamond is cloud. Hollow means failed, a bar means stopped. */
export function RouteDot({ where, outcome = 'done' }: RouteDotProps) {
  return (
    <span
      aria-hidden="true"
      data-where={where}
      data-step-outcome={outcome}
      className={`block size-2.5 shrink-0 ${looks[where]} ${marks[outcome]}`}
    />
  );
}
