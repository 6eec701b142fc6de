'use strict';

const { cleanText } = require('./clean-text.js');
const { createFloodGuard } = require('./flood.js');
const { createHistory } = require('./history.js');
const { createPresence } = require('./presence.js');
const { createRooms } = require('./rooms.js');

/**
 * The chat. `send(memberId, event)` delivers an event to one member, `timers`
 * has setTimeout, clearTimeout and now.
 */
function createChat({ send, timers }) {
  const rooms = createRooms();
  const history = createHistory();
  const flood = createFloodGuard(timers);

  function tellRoom(room, event, except) {
    for (const member of rooms.members(room)) {
      if (member !== except) send(member, { room, ...event });
    }
  }

  const presence = createPresence({
    timers,
    onGone: (member) => {
      for (const room of rooms.leaveAll(member)) tellRoom(room, { type: 'member-left', member });
    },
  });

  return {
    join(member, room) {
      rooms.join(member, room);
      send(member, { room, type: 'history', messages: history.last(room) });
      tellRoom(room, { type: 'member-joined', member }, member);
    },
    say(member, room, text) {
      if (!rooms.has(member, room)) return send(member, { type: 'refused', reason: 'not-a-member' });
      if (!flood.allow(member)) return send(member, { type: 'refused', reason: 'muted' });
      const message = { member, text: cleanText(text), at: timers.now() };
      history.add(room, message);
      return tellRoom(room, { type: 'message', message });
    },
    connected: presence.connected,
    disconnected: presence.disconnected,
  };
}

module.exports = { createChat };
