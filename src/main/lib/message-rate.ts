/** How many messages may come at once, and how many per second after that. */
const mostAtOnce = 2_000;
const mostPerSecond = 200;

/** The weight of a message that needs an answer. Answering 10,000 pings took this program half a minute. */
export const countOfQuestion = 10;
/** The weight of a log line. Log lines are ignored, and an honest server may write thousands per second. */
export const countOfLog = 0.05;
export const logMethod = 'notifications/message';
export const tooManyMessages = 'it sent more messages than a server needs';

/** Takes the weight of the messages that came. False: they are more than a server may send. */
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
