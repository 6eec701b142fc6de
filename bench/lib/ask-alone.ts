import type { ModelRequest, Provider, StreamEnded } from '../../src/main/models/providers/define.ts';

const never = new AbortController().signal;

/** Makes a call to its end, without a way to abort it. Rejects where it fails. */
export async function askAlone(
  provider: Provider,
  asked: ModelRequest,
): Promise<{ readonly text: string; readonly ended: StreamEnded }> {
  let text = '';
  for await (const part of provider.stream(asked, never)) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type !== 'ended') continue;
    if (part.error !== null) throw new Error(part.error.message);
    return { text, ended: part };
  }
  throw new Error('The stream has no end.');
}
