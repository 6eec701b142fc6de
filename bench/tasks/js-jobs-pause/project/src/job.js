/** A job that is due every `every` milliseconds, the first time that long after `now`. */
export class Job {
  constructor({ name, every, run, now }) {
    if (!(every > 0)) throw new RangeError('every must be positive');
    this.name = name;
    this.every = every;
    this.run = run;
    this.next = now + every;
  }

  isDue(now) {
    return now >= this.next;
  }

  /** Moves on to the first regular time after `now`. */
  advance(now) {
    const missed = Math.floor((now - this.next) / this.every);
    this.next += (missed + 1) * this.every;
  }
}
