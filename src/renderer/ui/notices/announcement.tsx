import type { Announcement } from '../../lib/notices/announce.ts';
import { runAnnouncedAction, dismissAnnouncement, useAnnouncements } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { HintButton } from './hint-button.tsx';
import { Icon } from '../layout/icon.tsx';

/** What was just done, over the upper part of the view; the latest is on top. */
export function AnnouncementBar() {
  const said = useAnnouncements();
  return (
    <div
      role={said.at(-1)?.kind === 'error' ? 'alert' : 'status'}
      // Only what is new is read out, not what still stands beside it.
      aria-atomic="false"
      className="pointer-events-none absolute inset-x-3 top-14 z-30 flex flex-col-reverse items-center gap-1.5"
    >
      {said.map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two may say the same
        <Said key={`${index} ${one.text}`} said={one} />
      ))}
    </div>
  );
}

function Said({ said }: { readonly said: Announcement }) {
  const { kind, text, action } = said;
  return (
    <div className="pointer-events-auto flex w-fit max-w-full items-center gap-3 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-float">
      <span className={`min-w-0 wrap-anywhere ${kind === 'error' ? 'text-bad' : ''}`}>{text}</span>
      {kind === 'error' && action === undefined && <HintButton hint={text} />}
      {action !== undefined && (
        <Button size="small" onClick={() => runAnnouncedAction(said)}>
          {action.label}
        </Button>
      )}
      <Button size="icon" look="quiet" aria-label={t('said.close')} onClick={() => dismissAnnouncement(said)}>
        <Icon name="close" className="size-3.5" />
      </Button>
    </div>
  );
}
