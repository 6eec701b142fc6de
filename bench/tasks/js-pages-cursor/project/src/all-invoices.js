/** Yields every invoice of an account, page by page, as they are asked for. */
export async function* allInvoices(client, account) {
  let cursor;
  do {
    const page = await client.listInvoices({ account, cursor });
    yield* page.items;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** The sum of the open invoices of an account, in cents. */
export async function openSum(client, account) {
  let sum = 0;
  for await (const invoice of allInvoices(client, account)) {
    if (!invoice.paid) sum += invoice.cents;
  }
  return sum;
}
