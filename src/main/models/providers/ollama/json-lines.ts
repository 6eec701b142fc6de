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
  const rest: string[] = [];
  const whole = (line: string): Uint8Array => {
    check(JSON.parse(line));
    return encoder.encode(`${line}\n`);
  };
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest.push(first);
    for (const next of others) {
      const line = rest.splice(0).join('');
      if (line.trim() !== '') yield whole(line);
      rest.push(next);
    }
  }
  const last = rest.join('');
  if (last.trim() !== '') yield whole(last);
}
