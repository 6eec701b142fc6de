import { useSpokenMessages } from '../../lib/notices/screen-reader.ts';

const ways = ['polite', 'assertive'] as const;

/** The two places where a screen reader hears what goes on in the session that is shown. Always there: a region that comes with its words is not read out. */
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
