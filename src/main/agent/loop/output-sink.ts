import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { BlobSink, Journal } from '../../sessions/journal/journal.ts';

/** The output of a running tool: shown as it comes, and stored in full beside the log. */
export interface OutputSink {
  readonly emit: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  readonly bytes: number;
  /** Ends the output. Returns the whole of it if the model was shown less; otherwise what was stored is dropped. */
  readonly end: (shownBytes: number, wasCut: boolean) => Promise<BlobRef | null>;
}

/**
 * The most output of one call that is pushed to the page, so that a flood does not fill a slow page. The rest is in the
 * blob.
 */
const MAX_PUSHED_BYTES = 4 * 1024 * 1024;

export function createOutputSink(journal: Journal, toolCallId: string): OutputSink {
  // Opened with the first byte: most tools print nothing.
  let blob: BlobSink | null = null;
  let pushed = 0;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return {
    get bytes() {
      return blob?.bytes ?? 0;
    },
    emit(stream, bytes) {
      blob ??= journal.openBlob();
      blob.write(bytes);
      if (pushed >= MAX_PUSHED_BYTES) return;
      pushed += bytes.length;
      const text = decoders[stream].decode(bytes, { stream: true });
      if (text !== '') journal.push({ type: 'output-chunk', toolCallId, stream, text });
    },
    async end(shownBytes, wasCut) {
      if (blob === null) return null;
      if (wasCut || blob.bytes > shownBytes) return blob.end();
      await blob.discard();
      return null;
    },
  };
}
