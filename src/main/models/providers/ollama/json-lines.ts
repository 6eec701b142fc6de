const encoder = new TextEncoder();

/**
 * Yields whole lines, however the chunks are cut. Each line is JSON and has passed `check`. Throws `SyntaxError` for
 * a line that is not JSON, and for an incomplete last line.
 */
export async function* wholeLines(
  chunks: AsyncIterable<Uint8Array>,
  check: (value: unknown) => void,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  const whole = (line: string): Uint8Array => {
    check(JSON.parse(line));
    return encoder.encode(`${line}\n`);
  };
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield whole(line);
  }
  if (rest.trim() !== '') yield whole(rest);
}
