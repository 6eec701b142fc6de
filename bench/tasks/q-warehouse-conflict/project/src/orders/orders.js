import { failure } from '../failure.js';
import { checkOrder } from './check-order.js';

/** Orders by number. Placing one takes its pieces off the shelf for a while. */
export function createOrders({ reservations, clock = Date.now }) {
  const orders = new Map();
  let lastId = 0;
  return {
    place(input) {
      const { customer, lines } = checkOrder(input);
      const id = ++lastId;
      reservations.hold(id, lines, clock());
      const order = { id, customer, lines, state: 'open' };
      orders.set(id, order);
      return order;
    },
    cancel(id) {
      const order = orders.get(id);
      if (order === undefined) throw failure('unknown-order', `no order ${id}`);
      if (order.state === 'shipped') throw failure('already-shipped', 'it is on its way');
      reservations.release(id);
      order.state = 'cancelled';
    },
  };
}
