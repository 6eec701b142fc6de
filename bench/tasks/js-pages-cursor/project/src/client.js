/**
 * A client for the invoice service.
 *
 * @param {{baseUrl: string, fetch: typeof fetch}} options
 */
export function createClient({ baseUrl, fetch }) {
  return {
    /**
     * One page of invoices: {items, next}. `cursor` is the `next` of the page
     * before, an opaque text; leave it out for the first page.
     */
    async listInvoices({ account, cursor }) {
      let url = `${baseUrl}/invoices?account=${encodeURIComponent(account)}`;
      if (cursor !== undefined) url += `&cursor=${cursor}`;
      const response = await fetch(url);
      const body = await response.json();
      if (!response.ok) throw new Error(body.error);
      return { items: body.items, next: body.next ?? null };
    },
  };
}
