import { Bucket } from './bucket.js';

/** Limits the requests of each client on its own. */
export function createLimiter({ burst, perSecond, clock = Date.now }) {
  const buckets = new Map();
  return {
    /** Whether a request of this client may pass now. */
    allow(client) {
      const now = clock();
      let bucket = buckets.get(client);
      if (bucket === undefined) {
        bucket = new Bucket({ capacity: burst, perSecond, now });
        buckets.set(client, bucket);
      }
      return bucket.take(now);
    },
  };
}
