const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;

function count(amount, unit) {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

/**
 * Says how long ago something was, for the feed: "just now", "5 minutes ago",
 * "1 day ago", "3 months ago".
 *
 * @param {Date} date
 * @param {Date} now
 */
export function timeAgo(date, now = new Date()) {
  const passed = now.getTime() - date.getTime();
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return count(passed / MINUTE, 'minute');
  if (passed < DAY) return count(passed / HOUR, 'hour');
  if (passed < MONTH) return count(passed / DAY, 'day');
  return count(passed / MONTH, 'month');
}
