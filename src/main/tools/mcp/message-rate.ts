/** So many messages may come at once, and so many a second after that. */
const mostAtOnce = 2_000;
const mostPerSecond = 200;

/** A message that wants an answer counts for so many: answering 10,000 pings of an address took this program half a minute. */
export const countOfQuestion = 10;
/** Lines of a log are read by nobody here: an honest server may write thousands a second. */
export const countOfLog = 0.05;
export const logMethod = 'notifications/message';
export const tooManyMessages = 'it sent more messages than a server needs';

/** Takes the count of messages that came; false: they are more than one server may send. */
export type MessageRate = (count: number) => boolean;

export function createMessageRate(): MessageRate {
  let left = mostAtOnce;
  let at = performance.now();
  return (count) => {
    const now = performance.now();
    left = Math.min(mostAtOnce, left + ((now - at) / 1000) * mostPerSecond) - count;
    at = now;
    return left >= 0;
  };
}
