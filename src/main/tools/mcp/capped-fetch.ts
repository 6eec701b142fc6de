/** One answer of a server may not fill the memory of this program. */
const mostBytes = 64 * 1024 * 1024;

/** `fetch` whose answers end with an error where they are too large. */
export function cappedFetch(reach: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await reach(input, init);
    if (response.body === null) return response;
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.length;
        if (bytes > mostBytes) controller.error(new Error('The server sent more than 64 MB.'));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  };
}
