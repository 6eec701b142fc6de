'use strict';

/** Who is in which room. */
function createRooms() {
  const rooms = new Map();
  return {
    join(member, room) {
      if (!rooms.has(room)) rooms.set(room, new Set());
      rooms.get(room).add(member);
    },
    has: (member, room) => rooms.get(room)?.has(member) ?? false,
    members: (room) => [...(rooms.get(room) ?? [])],
    /** Takes a member out of all rooms and returns the names of those rooms. */
    leaveAll(member) {
      const left = [];
      for (const [room, members] of rooms) {
        if (!members.delete(member)) continue;
        left.push(room);
        if (members.size === 0) rooms.delete(room);
      }
      return left;
    },
  };
}

module.exports = { createRooms };
