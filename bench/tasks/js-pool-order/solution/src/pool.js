/**
 * Runs async tasks, at most `limit` at the same time, and resolves to their
 * results in the order of the tasks. Rejects with the first error; tasks that
 * have not begun by then are not started.
 *
 * @param {Array<() => Promise<unknown>>} tasks
 * @param {number} limit
 */
export async function runPool(tasks, limit) {
  if (limit < 1) throw new RangeError('limit must be at least 1');
  const results = [];
  let next = 0;
  let failed = false;

  async function worker() {
    while (next < tasks.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await tasks[index]();
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }

  const workers = Array.from({ length: Math.min(limit, tasks.length) }, worker);
  await Promise.all(workers);
  return results;
}
