import { useSpokenMessages } from '../../lib/notices/screen-reader.ts';

const ways = ['polite', 'assertive'] as const;

/**
 * The two regions where screen readers hear about the open session. They always exist, because a region that appears
 * together with its text is not read out.
 */
export function LiveRegions() {
  const spoken = useSpokenMessages();
  return ways.map((way) => (
    <div key={way} aria-live={way} aria-relevant="additions" className="sr-only">
      {spoken
        .filter(({ how }) => how === way)
        .map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
    </div>
  ));
}
