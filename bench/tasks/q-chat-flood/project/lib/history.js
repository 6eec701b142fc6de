'use strict';

const KEEP = 200;
const SHOW = 25;

/** The latest messages of each room, in memory. */
function createHistory() {
  const messages = new Map();
  return {
    add(room, message) {
      const list = messages.get(room) ?? [];
      list.push(message);
      if (list.length > KEEP) list.shift();
      messages.set(room, list);
    },
    last: (room) => (messages.get(room) ?? []).slice(-SHOW),
  };
}

module.exports = { createHistory };
