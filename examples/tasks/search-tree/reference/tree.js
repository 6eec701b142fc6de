export class Tree {
  #root = null;
  insert(value) {
    const place = { value, left: null, right: null };
    if (this.#root === null) this.#root = place;
    for (let at = this.#root; at.value !== value; ) {
      const side = value < at.value ? 'left' : 'right';
      at[side] ??= place;
      at = at[side];
    }
  }
  has(value) {
    let at = this.#root;
    while (at !== null && at.value !== value) at = value < at.value ? at.left : at.right;
    return at !== null;
  }
  values() {
    const walk = (at) => (at === null ? [] : [...walk(at.left), at.value, ...walk(at.right)]);
    return walk(this.#root);
  }
}
