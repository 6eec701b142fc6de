/**
 * The states of a drawing, for undo and redo. At most `limit` states can be
 * undone; older ones are forgotten. A new state after an undo begins a new
 * future: what was undone cannot be redone any more.
 */
export class History {
  #past = [];
  #future = [];
  #present;

  constructor(first, { limit = 100 } = {}) {
    this.#present = first;
    this.limit = limit;
  }

  get present() {
    return this.#present;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** Makes `state` the present one. The state that is present already changes nothing. */
  push(state) {
    if (state === this.#present) return;
    this.#past.push(this.#present);
    if (this.#past.length > this.limit) this.#past.shift();
    this.#present = state;
  }

  /** Goes one step back, if there is one, and returns the present state. */
  undo() {
    if (!this.canUndo) return this.#present;
    this.#future.push(this.#present);
    this.#present = this.#past.pop();
    return this.#present;
  }

  /** Goes one step forward, if there is one, and returns the present state. */
  redo() {
    if (!this.canRedo) return this.#present;
    this.#past.push(this.#present);
    this.#present = this.#future.pop();
    return this.#present;
  }
}
