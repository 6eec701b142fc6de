import { sameProxy } from './net-fetch.ts';

/** No list, answer or report of a service is as large. A stream of a very long answer comes nearest. */
export const mostListBytes = 64 * 1024 * 1024;
export const mostStreamBytes = 256 * 1024 * 1024;

/**
 * The same answer, which ends with an error after so many bytes, unpacked: a server may send without end, and nobody may
 * run out of memory by that.
 */
export function limitedAnswer(response: Response, mostBytes: number): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let bytes = 0;
  const counted = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.length;
        if (bytes <= mostBytes) return controller.enqueue(value);
        const error = new TypeError(tooMuch(response, mostBytes));
        controller.error(error);
        await reader.cancel(error);
      },
      cancel: (why) => reader.cancel(why),
    },
    // Nothing is read ahead, so that a caller sees when a piece came.
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return sameProxy(response, new Response(counted, { status, statusText, headers }));
}

/** The beginning of an answer as text. The rest is not read. */
export async function beginningOf(response: Response, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = mostBytes;
  // Leaving the loop ends the connection.
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
    if (left <= 0) break;
  }
  return text + decoder.decode();
}

function tooMuch({ url }: Response, mostBytes: number): string {
  const from = URL.parse(url)?.host ?? 'The server';
  return `${from} sent more than ${Math.round(mostBytes / 1_000_000)} MB, so its answer was not read.`;
}
