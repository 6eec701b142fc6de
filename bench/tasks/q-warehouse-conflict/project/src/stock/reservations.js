const HOLD_MS = 45 * 60 * 1000;

/** Pieces that are put aside for orders. They go back when the order is not paid in time. */
export function createReservations({ stock }) {
  const held = new Map();

  function release(orderId) {
    const reservation = held.get(orderId);
    if (reservation === undefined) return;
    held.delete(orderId);
    for (const { sku, pieces } of reservation.lines) stock.giveBack(sku, pieces);
  }

  return {
    release,
    /** Puts the pieces of all lines aside, or of none if one is short. */
    hold(orderId, lines, now) {
      const taken = [];
      try {
        for (const line of lines) {
          stock.take(line.sku, line.pieces);
          taken.push(line);
        }
      } catch (error) {
        for (const { sku, pieces } of taken) stock.giveBack(sku, pieces);
        throw error;
      }
      held.set(orderId, { lines, expiresAt: now + HOLD_MS });
    },
    releaseExpired(now) {
      for (const [orderId, { expiresAt }] of held) {
        if (expiresAt <= now) release(orderId);
      }
    },
  };
}
