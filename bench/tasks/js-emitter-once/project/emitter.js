'use strict';

/** A small event emitter. Listeners run in the order in which they were added. */
class Emitter {
  constructor() {
    this.listeners = new Map();
  }

  /** Adds a listener and returns a function that removes it. */
  on(name, listener) {
    if (!this.listeners.has(name)) this.listeners.set(name, []);
    this.listeners.get(name).push(listener);
    return () => this.off(name, listener);
  }

  /** Like `on`, but the listener runs at most once. */
  once(name, listener) {
    const remove = this.on(name, (...args) => {
      remove();
      listener(...args);
    });
    return remove;
  }

  off(name, listener) {
    const list = this.listeners.get(name) ?? [];
    const index = list.indexOf(listener);
    if (index !== -1) list.splice(index, 1);
  }

  /** Calls every listener that was there when `emit` began; returns how many. */
  emit(name, ...args) {
    const list = this.listeners.get(name) ?? [];
    let count = 0;
    for (const listener of list) {
      listener(...args);
      count += 1;
    }
    return count;
  }
}

module.exports = { Emitter };
