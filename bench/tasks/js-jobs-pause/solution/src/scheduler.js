import { Job } from './job.js';

/** Runs jobs at regular times. Somebody has to call `tick` every now and then. */
export class Scheduler {
  #jobs = new Map();
  #clock;

  constructor(clock = Date.now) {
    this.#clock = clock;
  }

  #find(name) {
    const job = this.#jobs.get(name);
    if (job === undefined) throw new Error(`no job ${name}`);
    return job;
  }

  add(name, every, run) {
    if (this.#jobs.has(name)) throw new Error(`there is a job ${name} already`);
    this.#jobs.set(name, new Job({ name, every, run, now: this.#clock() }));
  }

  remove(name) {
    this.#jobs.delete(this.#find(name).name);
  }

  pause(name) {
    this.#find(name).pause();
  }

  resume(name) {
    this.#find(name).resume(this.#clock());
  }

  /** Runs every job that is due, once, and returns their names. */
  tick() {
    const now = this.#clock();
    const due = [...this.#jobs.values()].filter((job) => job.isDue(now));
    for (const job of due) {
      job.advance(now);
      job.run();
    }
    return due.map((job) => job.name);
  }

  /** The jobs, in the order in which they were added, with the time of their next run and whether they are paused. */
  list() {
    return [...this.#jobs.values()].map(({ name, next, paused }) => ({ name, next, paused }));
  }
}
