import type { Announcement } from '../../lib/notices/announce.ts';
import { runAnnouncedAction, dismissAnnouncement, useAnnouncements } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { HintButton } from './hint-button.tsx';
import { Icon } from '../layout/icon.tsx';

/** What was just done. Between the view and its status bar, where it covers nothing. The latest is on top. */
export function AnnouncementBar() {
  const said = useAnnouncements();
  return (
    <div
      role={said.at(-1)?.kind === 'error' ? 'alert' : 'status'}
      // Reads out only new announcements, not those that are still there.
      aria-atomic="false"
      className="order-1 flex shrink-0 flex-col-reverse divide-y divide-y-reverse divide-line border-t border-line bg-raised empty:hidden"
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
    <div className="flex items-center gap-3 py-1 pr-1.5 pl-3.5 text-sm">
      <span className={`min-w-0 flex-1 wrap-anywhere ${kind === 'error' ? 'text-bad' : ''}`}>{text}</span>
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
