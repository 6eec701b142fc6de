'use strict';

const WINDOW_MS = 5_000;
const MAX_MESSAGES = 8;
const MUTE_MS = 30_000;

/** Mutes members who write too much at once. */
function createFloodGuard({ now }) {
  const members = new Map();
  return {
    /** Whether the member may write now; counts the message if so. */
    allow(member) {
      const time = now();
      const record = members.get(member) ?? { times: [], mutedUntil: 0 };
      members.set(member, record);
      if (time < record.mutedUntil) return false;
      record.times = record.times.filter((at) => time - at < WINDOW_MS);
      if (record.times.length >= MAX_MESSAGES) {
        record.mutedUntil = time + MUTE_MS;
        return false;
      }
      record.times.push(time);
      return true;
    },
  };
}

module.exports = { createFloodGuard };
