import { createServer } from 'node:http';
import { createOrders } from './orders/orders.js';
import { createReservations } from './stock/reservations.js';
import { createStock } from './stock/stock.js';
import { handle } from './http/handle.js';
import { routes } from './http/routes.js';

const PORT = Number(process.env.PORT ?? 8080);

const stock = createStock();
const reservations = createReservations({ stock });
const orders = createOrders({ reservations });

const server = createServer((request, response) =>
  handle(request, response, routes({ stock, orders })),
);
server.listen(PORT, () => console.log(`listening on ${PORT}`));

// Orders that nobody pays must not block the shelf for ever.
setInterval(() => reservations.releaseExpired(Date.now()), 60_000).unref();
