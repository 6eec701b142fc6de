import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { LockedFrame } from './locked-frame.tsx';

/** A foreign page behind locks. Its scripts run only after a yes, and then behind the same locks. */
export function WebPage({ name, html }: { readonly name: string; readonly html: string }) {
  const [mayRun, setMayRun] = useState(false);
  return (
    <>
      <label className="flex shrink-0 items-start gap-2 text-xs">
        <input
          type="checkbox"
          checked={mayRun}
          onChange={(event) => setMayRun(event.target.checked)}
          className="mt-0.5 size-3.5 accent-ink"
        />
        <span>
          {t('preview.scripts')}
          <span className="block text-soft">{t('preview.scriptsAbout')}</span>
        </span>
      </label>
      <LockedFrame
        key={String(mayRun)}
        html={html}
        mayRun={mayRun}
        title={t('preview.page', { name: seenName(name) })}
      />
    </>
  );
}
