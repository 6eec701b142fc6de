/** All routes: method, pattern, and what to do. Handlers return {status, body}. */
export function routes({ stock, orders }) {
  return [
    {
      method: 'GET',
      pattern: /^\/articles\/([\w-]+)$/,
      run: ({ params: [sku] }) => ({ status: 200, body: stock.article(sku) }),
    },
    {
      method: 'POST',
      pattern: /^\/orders$/,
      run: ({ body }) => ({ status: 201, body: orders.place(body) }),
    },
    {
      method: 'DELETE',
      pattern: /^\/orders\/(\d+)$/,
      run: ({ params: [id] }) => {
        orders.cancel(Number(id));
        return { status: 204 };
      },
    },
  ];
}
