const encoder = new TextEncoder();

/**
 * The lines of an answer, each whole, however it was cut on its way. Each is JSON and has passed `check`. Throws
 * `SyntaxError` for a line that is none; half a line at the end is one, too.
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
