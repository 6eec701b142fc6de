import { formatCents, parseAmount } from './money.js';

export class Cart {
  #lines = [];

  /** Adds `quantity` pieces; the price comes as text from the catalogue, e.g. "4.50". */
  add(name, price, quantity = 1) {
    const known = this.#lines.find((line) => line.name === name);
    if (known) {
      known.quantity += quantity;
    } else {
      this.#lines.push({ name, cents: parseAmount(price), quantity });
    }
  }

  remove(name) {
    this.#lines = this.#lines.filter((line) => line.name !== name);
  }

  get count() {
    return this.#lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  /** The total as text, e.g. "24.49". */
  get total() {
    return formatCents(this.#lines.reduce((sum, line) => sum + line.cents * line.quantity, 0));
  }
}
