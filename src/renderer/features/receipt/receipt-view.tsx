import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Receipt } from '@shared/safety/receipt.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { folderName, sessionTitle, thisMonth } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import type { ReceiptAbout } from '../../lib/window/use-view.ts';
import { saveText } from '../../lib/text/save-text.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';
import { ReceiptDetails } from './receipt-details.tsx';
import { ReceiptVerdict } from './receipt-verdict.tsx';

type Asked = ReceiptAbout | { readonly type: 'month'; readonly month: string };

const monthPattern = /^\d{4}-(?:0[1-9]|1[0-2])$/u;

/** What left this machine in a session, from a project or in a month, and what could have left and did not. */
export default function ReceiptView({ about }: { readonly about: ReceiptAbout | null }) {
  const client = useClient();
  const [month, setMonth] = useState(thisMonth);
  const asked: Asked = about ?? { type: 'month', month };
  const made = useQuery({
    queryKey: ['receipt', asked],
    queryFn: ({ signal }) => client.receipts.show(asked, { signal }),
    staleTime: 0,
    // What was true of another month is not shown as true of this one.
    gcTime: 0,
  });
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-5 py-8">
        <ViewHeader title={t('receipt.title')} text={<About about={about} made={made.data ?? null} />}>
          {about === null && (
            <InputField
              label={t('receipt.month')}
              type="month"
              required
              max={thisMonth()}
              value={month}
              onText={(typed) => monthPattern.test(typed) && setMonth(typed)}
            />
          )}
        </ViewHeader>
        {made.isPending && <Empty>{t('receipt.loading')}</Empty>}
        {made.error !== null && <Problem text={failureText(made.error)} onRetry={made.refetch} />}
        {made.data !== undefined && made.error === null && (
          <>
            <ReceiptVerdict made={made.data} />
            <SaveSigned key={JSON.stringify(asked)} asked={asked} />
            <ReceiptDetails made={made.data} />
          </>
        )}
      </div>
    </div>
  );
}

function About({ about, made }: { readonly about: ReceiptAbout | null; readonly made: Receipt | null }) {
  const projectName = useProjectNames();
  if (about?.type === 'project') return <p>{t('receipt.about.project', { name: projectName(about.project) })}</p>;
  if (about?.type === 'session') {
    const title = made?.about.type === 'session' ? made.about.title : null;
    return <p>{t('receipt.about.session', { name: title === null ? about.sessionId : sessionTitle(title) })}</p>;
  }
  return <p>{t('receipt.text')}</p>;
}

/** Saves the receipt with a signature. Only where the key is. */
function SaveSigned({ asked }: { readonly asked: Asked }) {
  const client = useClient();
  const isRefused = useIsCommandRefused('receipts.sign');
  const sign = useMutation({
    mutationFn: () => client.receipts.sign(asked),
    onSuccess: ({ text }) => saveText(text, fileName(asked)),
  });
  if (isRefused) {
    return (
      <p className="text-sm text-soft">
        <TextWithCode text={t('receipt.browser')} />
      </p>
    );
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button disabled={sign.isPending} onClick={() => sign.mutate()}>
        <Icon name="download" /> {t(sign.isPending ? 'receipt.saving' : 'receipt.save')}
      </Button>
      {sign.error !== null && <Problem text={failureText(sign.error)} />}
      {sign.data !== undefined && (
        <Notice kind="info">{t('receipt.saved', { fingerprint: sign.data.fingerprint })}</Notice>
      )}
    </div>
  );
}

function fileName(asked: Asked): string {
  if (asked.type === 'month') return `${asked.month}.receipt`;
  const name = asked.type === 'session' ? asked.sessionId : folderName(asked.project);
  return `${name.replaceAll(/[^\p{L}\p{N}.-]/gu, '-')}.receipt`;
}
