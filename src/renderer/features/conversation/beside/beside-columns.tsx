import type { ReactNode } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { currentChoice, optionsOfChoice } from '../../../lib/models/session-choice.ts';
import type { Beside } from '../../../lib/models/beside.ts';
import { goOnWith, hideBeside } from '../../../lib/models/beside.ts';
import { t } from '../../../lib/text/translate.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { MessageText } from '../turns/message-text.tsx';
import type { ColumnReport } from './beside-column.tsx';
import { BesideColumnView } from './beside-column.tsx';

interface BesideViewProps {
  readonly beside: Beside;
  /** The open questions of a session, as its own view asks them. */
  readonly questions: (sessionId: string, state: SessionState) => ReactNode;
  /** A turn began or ended, so the list of sessions must change, too. */
  readonly onStatus: () => void;
}

/** The answers to one question beside each other, until one of them is gone on with. */
export default function BesideView({ beside, questions, onStatus }: BesideViewProps) {
  const client = useClient();
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const [reports, setReports] = useState<ReadonlyMap<number, ColumnReport>>(new Map());
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const onReport = useCallback((at: number, report: ColumnReport | null): void => {
    setReports((before) => {
      const after = new Map(before);
      if (report === null) after.delete(at);
      else after.set(at, report);
      return after;
    });
  }, []);
  const goOn = async (sessionId: string, state: SessionState): Promise<void> => {
    setIsBusy(true);
    try {
      const choice = currentChoice(sessionId, state);
      const { mode = choice.mode } = beside;
      await goOnWith(client, beside, { sessionId, chosen: optionsOfChoice({ ...choice, mode }) });
      hideBeside(beside);
      navigate({ type: 'session', sessionId });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    } finally {
      setIsBusy(false);
      onStatus();
    }
  };
  return (
    <main aria-label={t('beside.title')} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <div className="flex flex-col gap-4 px-5 py-5">
        <header className="flex flex-wrap items-center gap-3 max-lg:group-data-unlisted/main:pl-8">
          <h1 ref={heading} tabIndex={-1} className="flex-1 text-sm font-semibold outline-none">
            {t('beside.title')}
          </h1>
          <Button size="small" onClick={() => hideBeside(beside)}>
            {t('beside.hide')}
          </Button>
        </header>
        <article
          aria-label={t('session.you')}
          className="max-h-48 w-fit max-w-3xl overflow-y-auto rounded-xl bg-chosen px-4 py-2.5"
        >
          <MessageText text={beside.text} />
        </article>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(14rem,100%),1fr))] items-start gap-3">
          {beside.columns.map((column, at) => (
            <BesideColumnView
              key={column.sessionId ?? `${at}`}
              {...{ column, at, reports, onReport, questions, onStatus, isBusy }}
              onGoOn={(sessionId, state) => void goOn(sessionId, state)}
            />
          ))}
        </div>
      </div>
    </main>
  );
}
