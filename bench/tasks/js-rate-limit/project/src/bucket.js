/**
 * A token bucket: it holds at most `capacity` tokens and gets `perSecond` new
 * ones every second. It starts full.
 */
export class Bucket {
  #tokens;
  #filledAt;

  constructor({ capacity, perSecond, now }) {
    this.capacity = capacity;
    this.perSecond = perSecond;
    this.#tokens = capacity;
    this.#filledAt = now;
  }

  #refill(now) {
    const seconds = (now - this.#filledAt) / 1000;
    this.#tokens = this.#tokens + seconds * this.perSecond;
    this.#filledAt = now;
  }

  /** Takes a token if there is one; `now` is in milliseconds. */
  take(now) {
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
