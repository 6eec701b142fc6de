import type { Where } from '@shared/models/model-info.ts';

const looks = {
  local: 'rounded-full bg-local',
  // A diamond, for people who do not see the color.
  cloud: 'rotate-45 rounded-[1px] bg-cloud',
} as const;

interface RouteDotProps {
  readonly where: Where;
  readonly isRunning?: boolean;
  readonly hasFailed?: boolean;
}

/** Where a step ran: round is local, a diamond is cloud; hollow has failed. */
export function RouteDot({ where, isRunning = false, hasFailed = false }: RouteDotProps) {
  const hollow = hasFailed ? 'bg-transparent! border-2 border-bad' : '';
  return (
    <span
      aria-hidden="true"
      data-where={where}
      className={`block size-2.5 shrink-0 ${looks[where]} ${hollow} ${isRunning ? 'animate-[breathe_1.6s_ease-in-out_infinite]' : ''}`}
    />
  );
}
