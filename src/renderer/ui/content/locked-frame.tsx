import { useEffect, useRef } from 'react';

interface LockedFrameProps {
  readonly html: string;
  /** Its scripts may run, behind the same locks. */
  readonly mayRun: boolean;
  readonly title: string;
}

/**
 * A foreign web page, in a frame without an origin and without a network; see `locked-frames.ts` for the locks. It
 * reloads when its content changes.
 */
export function LockedFrame({ html, mayRun, title }: LockedFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const isReady = useRef(false);
  useEffect(() => {
    const show = (): void => frame.current?.contentWindow?.postMessage({ html, title }, '*');
    const hear = ({ source }: MessageEvent): void => {
      // Only the outer frame sends a message to the page, and only once. Messages of the inner page are ignored.
      if (source === null || source !== frame.current?.contentWindow || isReady.current) return;
      isReady.current = true;
      show();
    };
    if (isReady.current) show();
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [html, title]);
  return (
    <iframe
      ref={frame}
      title={title}
      src={mayRun ? '/frames/preview-with-scripts.html' : '/frames/preview.html'}
      sandbox="allow-scripts"
      className="min-h-96 w-full flex-1 rounded-lg border border-line bg-white"
    />
  );
}
