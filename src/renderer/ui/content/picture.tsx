import { useState } from 'react';
import type { Picture } from '@shared/tools/canvas.ts';
import { pictureUrl } from '../../lib/drawing/image-url.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';

/** An image runs and loads nothing, even if it is an SVG. */
export function PictureView({ name, url }: { readonly name: string; readonly url: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className="text-sm text-soft">{t('canvas.broken', { name: seenName(name) })}</p>;
  return (
    <img
      src={url}
      alt={t('preview.picture', { name: seenName(name) })}
      className="mx-auto block max-h-full max-w-full bg-white object-contain"
      onError={() => setIsBroken(true)}
    />
  );
}

/** Small until the user opens it. */
export function Thumbnail({ picture }: { readonly picture: Picture }) {
  const [isLarge, setIsLarge] = useState(false);
  const name = seenName(picture.path);
  return (
    <button
      type="button"
      aria-expanded={isLarge}
      aria-label={t('preview.picture', { name })}
      title={name}
      onClick={() => setIsLarge(!isLarge)}
      className={`block max-w-full overflow-hidden rounded-md border border-line bg-white ${isLarge ? '' : 'h-32'}`}
    >
      <img
        src={pictureUrl(picture)}
        alt=""
        className={isLarge ? 'block max-w-full' : 'mx-auto block h-full object-contain'}
      />
    </button>
  );
}
