/** A stand-in for the service: serves the pages in order, checks the cursors. */
export function fakeService(pages, cursors) {
  const requests = [];
  const fetch = async (url) => {
    const query = new URL(url).searchParams;
    requests.push(Object.fromEntries(query));
    const cursor = query.get('cursor');
    const index = cursor === null ? 0 : cursors.indexOf(cursor) + 1;
    if (cursor !== null && index === 0) return Response.json({ error: 'unknown cursor' }, { status: 400 });
    return Response.json({ items: pages[index], next: cursors[index] });
  };
  return { fetch, requests };
}
