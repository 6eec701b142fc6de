const DAY_MS = 24 * 60 * 60 * 1000;

const toDate = (day) => new Date(`${day}T00:00:00Z`);
const toText = (date) => date.toISOString().slice(0, 10);

/** The Monday of the week that a day belongs to. Days are texts such as "2024-03-10". */
export function startOfWeek(day) {
  const date = toDate(day);
  const sinceMonday = date.getUTCDay() - 1;
  return toText(new Date(date.getTime() - sinceMonday * DAY_MS));
}

/** The seven days of that week, Monday first. */
export function daysOfWeek(day) {
  const monday = toDate(startOfWeek(day)).getTime();
  return Array.from({ length: 7 }, (_, index) => toText(new Date(monday + index * DAY_MS)));
}

/** Whether two days are in the same week. */
export function isSameWeek(a, b) {
  return startOfWeek(a) === startOfWeek(b);
}
