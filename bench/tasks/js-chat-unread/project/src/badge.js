/** How many messages of others somebody has not read; `lastRead` is the id of the last one read, or null. */
export function countUnread(thread, { name, lastRead }) {
  return thread.after(lastRead).filter((message) => message.from !== name).length;
}

/** The text on the badge of a conversation. */
export function badge(thread, reader) {
  const count = countUnread(thread, reader);
  return count > 99 ? '99+ unread' : `${count} unread`;
}
