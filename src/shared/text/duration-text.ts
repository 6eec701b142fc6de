/** A duration in the largest two units that matter: `0.9 s`, `14 s`, `3 min 05 s`, `2 h 55 min`, `1 d 4 h`. */
export function durationText(milliseconds: number): string {
  const count = milliseconds / 1000;
  if (count < 9.95) return `${count.toFixed(1)} s`;
  const seconds = Math.round(count);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) {
    const rest = seconds % 60;
    return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${String(rest).padStart(2, '0')} s`}`;
  }
  const minutes = Math.round(count / 60);
  if (minutes < 24 * 60) return two(minutes, 60, ['h', 'min']);
  return two(Math.round(count / 3600), 24, ['d', 'h']);
}

function two(small: number, each: number, [large, little]: readonly [string, string]): string {
  const rest = small % each;
  return `${Math.floor(small / each)} ${large}${rest === 0 ? '' : ` ${rest} ${little}`}`;
}
