import { waitAfter } from './backoff.js';

/**
 * Runs jobs one after another. A job that throws is tried again, up to
 * `maxAttempts` times in all, with a growing wait in between.
 * Returns what became of each job: {name, status: 'done' | 'failed', attempts}.
 *
 * @param {{name: string, run: () => Promise<void>}[]} jobs
 */
export async function runJobs(jobs, { maxAttempts = 3, backoff = {}, sleep }) {
  const outcomes = [];
  for (const job of jobs) {
    outcomes.push(await runJob(job, maxAttempts, backoff, sleep));
  }
  return outcomes;
}

async function runJob(job, maxAttempts, backoff, sleep) {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      await job.run();
      return { name: job.name, status: 'done', attempts: attempt };
    } catch {
      if (attempt < maxAttempts) await sleep(waitAfter(attempt, backoff));
    }
  }
  return { name: job.name, status: 'failed', attempts: maxAttempts };
}
