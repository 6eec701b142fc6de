/** The messages of a conversation, oldest first: {id, from, text}. Ids grow; some are missing because messages were deleted. */
export class Thread {
  #messages = [];

  add(message) {
    const last = this.#messages.at(-1);
    if (last !== undefined && message.id <= last.id) throw new RangeError('ids have to grow');
    this.#messages.push(message);
    return this;
  }

  remove(id) {
    this.#messages = this.#messages.filter((message) => message.id !== id);
  }

  /** The messages that came after the one with this id, which may be deleted by now; null: all of them. */
  after(id) {
    const start = this.#messages.findIndex((message) => id === null || message.id >= id);
    return start === -1 ? [] : this.#messages.slice(start);
  }
}
