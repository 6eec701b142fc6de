'use strict';

// Phones lose the network for a moment all the time; nobody should be told of that.
const GRACE_MS = 20_000;

/** Calls `onGone` for members who lost their connection and did not come back. */
function createPresence({ timers, onGone }) {
  const waiting = new Map();
  return {
    connected(member) {
      timers.clearTimeout(waiting.get(member));
      waiting.delete(member);
    },
    disconnected(member) {
      const timer = timers.setTimeout(() => {
        waiting.delete(member);
        onGone(member);
      }, GRACE_MS);
      waiting.set(member, timer);
    },
  };
}

module.exports = { createPresence };
