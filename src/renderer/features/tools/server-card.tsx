import { useState } from 'react';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { clock, timeOfDay, tokens } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ComposioAccounts } from './composio-accounts.tsx';
import { OnOff } from './on-off.tsx';
import { ServerApproval } from './server-approval.tsx';
import { ServerOffers } from './server-offers.tsx';
import { ServerSignIn } from './server-sign-in.tsx';
import { ToolKeys } from './tool-keys.tsx';
import { ToolRows } from './tool-rows.tsx';
import { TypedServer } from './typed-server.tsx';
import type { Work } from '../../lib/connection/use-work.ts';
import type { ServerProps } from './use-tool-servers.ts';
import { goOnAtServer, inProject, useToolWork } from './use-tool-servers.ts';

/**
 * One server: what it is, its share of a prompt, and its tools. An unapproved one shows what the user would approve.
 */
export function ServerCard(props: ServerProps) {
  const { server, isRefused } = props;
  const client = useClient();
  const work = useToolWork();
  const [isEditing, setEditing] = useState(false);
  const { name, definition, secrets: names, isApproved, tools } = server;
  return (
    <section
      aria-label={name}
      tabIndex={-1}
      data-tool-server={name}
      className="flex flex-col gap-3 rounded-xl border border-line p-4"
    >
      <Head {...props} work={work} onEdit={() => setEditing(!isEditing)} />
      {server.problem !== null && isApproved && work.problem === null && server.state !== 'sign-in' && (
        <Problem text={seenWords(server.problem)} />
      )}
      {work.problem !== null && <Problem text={work.problem} />}
      {!isRefused && names.length > 0 && (
        <ToolKeys
          names={names}
          isOpen={!isApproved}
          onSave={(variable, value) => client.tools.secret({ name, variable, value })}
        />
      )}
      {!isRefused && <ServerOffers server={server} work={work} />}
      {isEditing && <TypedServer server={server} onDone={() => setEditing(false)} />}
      {!isApproved && !isEditing && (
        <ServerApproval
          definition={definition}
          isBusy={work.isBusy}
          onApprove={
            isRefused
              ? null
              : () =>
                  void work
                    .run((signal) => client.tools.approve({ name, sha256: server.sha256 }, { signal }))
                    .then((isStarted) => goOnAtServer(name, isStarted ? 'tools' : null))
          }
        />
      )}
      {work.isBusy && (
        <Notice kind="info">
          <span className="flex items-center gap-3">
            {t('tools.busy')}
            <Button size="small" onClick={work.cancel}>
              {t('tools.cancel')}
            </Button>
          </span>
        </Notice>
      )}
      {isApproved && server.signIn !== null && <ServerSignIn {...props} signIn={server.signIn} />}
      {isApproved && definition.kind === 'composio' && !isRefused && <ComposioAccounts name={name} />}
      {isApproved && <ToolRows {...props} work={work} />}
      {server.leftOut > 0 && <p className="text-sm text-warn">{plural('tools.leftOut', server.leftOut)}</p>}
      {server.unusable.length > 0 && (
        <p className="text-sm text-warn wrap-anywhere">
          {t('tools.unusable', { list: server.unusable.map(seenName).join(', ') })}
        </p>
      )}
      {isApproved && tools.length > 0 && server.server !== null && (
        <p className="text-xs text-soft">{t('tools.itself', { name: seenName(server.server) })}</p>
      )}
    </section>
  );
}

interface HeadProps extends ServerProps {
  readonly work: Work;
  readonly onEdit: () => void;
}

function Head({ server, project, isRefused, work, onEdit }: HeadProps) {
  const client = useClient();
  const { name, isApproved, isOn, own, tools } = server;
  const offered = isOn ? tools.filter((tool) => tool.isOn) : [];
  const taken = offered.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <header className="flex flex-wrap items-center gap-2">
      <div className="min-w-0 flex-1 basis-56">
        <h2 className="font-semibold wrap-anywhere">
          {seenName(name)} <span className="text-sm font-normal text-soft">{stateText(server)}</span>
        </h2>
        <p className="font-mono text-xs text-soft wrap-anywhere">{seenName(server.text)}</p>
        {isApproved && (
          <p className="text-sm text-soft">
            {t('tools.count', { on: offered.length, all: tools.length, tokens: tokens(taken) })}
          </p>
        )}
      </div>
      {isApproved && (
        <OnOff
          name={name}
          isOn={isOn}
          own={project === null ? undefined : own}
          isDisabled={isRefused || work.isBusy}
          onChange={(next) => void work.run(() => client.tools.set({ name, isOn: next, ...inProject(project) }))}
        />
      )}
      {isApproved && !isRefused && (
        <Button
          size="small"
          disabled={work.isBusy}
          aria-label={t('tools.testOne', { name })}
          onClick={() => void work.run((signal) => client.tools.test({ name }, { signal }))}
        >
          {t('tools.test')}
        </Button>
      )}
      {!isRefused && server.definition.kind !== 'composio' && (
        <Button size="small" look="quiet" aria-label={t('tools.editOne', { name })} onClick={onEdit}>
          {t('tools.edit')}
        </Button>
      )}
      {!isRefused && <Remove name={name} work={work} />}
    </header>
  );
}

/** What is known of the server now, and when it answered last. */
function stateText({ state, reachedAt, isApproved }: ServerProps['server']): string {
  const known = t(`tools.state.${state}`);
  if (reachedAt === null || !isApproved) return known;
  const day = clock(reachedAt, Date.now());
  const time = timeOfDay(reachedAt);
  return t('tools.reached', { state: known, time: day === time ? time : `${day}, ${time}` });
}

/** Asks first, because approvals and keys cannot be restored. */
function Remove({ name, work }: { readonly name: string; readonly work: Work }) {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <Button size="small" look="quiet" aria-label={t('tools.removeOne', { name })} onClick={() => setAsking(true)}>
        {t('tools.remove')}
      </Button>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-2 text-xs">
      {t('tools.sure')}
      <Button size="small" look="danger" onClick={() => void work.run(() => client.tools.remove({ name }))}>
        {t('tools.remove')}
      </Button>
      <Button size="small" onClick={() => setAsking(false)}>
        {t('tools.keep')}
      </Button>
    </span>
  );
}
