import type { CoreClient } from '../../lib/core-client.ts';
import { plural, t } from '../../lib/texts.ts';
import type { Policy } from '../../lib/policies.ts';
import type { ComposerProps, Said } from './composer-types.ts';

/** What commands can reach. */
export interface SlashReach extends Pick<ComposerProps, 'sessionId' | 'onInspect' | 'onHelp'> {
  readonly client: CoreClient;
  readonly setPolicy: (policy: Policy) => void;
  readonly setModel: (model: string) => void;
  readonly send: (text: string, plan: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Runs a command; answers what there is to say about it. Rejects with a failure of the core. */
export async function runSlash(name: string, rest: string, reach: SlashReach): Promise<Said | null> {
  switch (name) {
    case 'plan':
      if (rest === '') return { kind: 'error', text: t('slash.needsText') };
      await reach.send(rest, true);
      return null;
    case 'local':
    case 'cloud':
      reach.setPolicy(name);
      return { kind: 'info', text: t('slash.policySet', { policy: t(`composer.where.${name}`) }) };
    case 'model':
      if (!rest.includes('/')) return { kind: 'error', text: t('slash.needsModel') };
      reach.setModel(rest);
      return { kind: 'info', text: t('slash.modelSet', { model: rest }) };
    case 'changes':
    case 'cost':
      reach.onInspect(name);
      return null;
    case 'undo':
      return { kind: 'info', text: await undo(reach, rest) };
    case 'stop':
      await reach.stop();
      return null;
    case 'help':
      reach.onHelp();
      return null;
    default:
      return { kind: 'error', text: t('slash.unknown', { name: `/${name}` }) };
  }
}

async function undo({ client, sessionId }: SlashReach, path: string): Promise<string> {
  const { done, refused } = await client.changes.undo({ sessionId, paths: path === '' ? [] : [path] });
  const list = refused.map((one) => `${one.path} (${one.why})`).join(', ');
  return `${plural('slash.undone', done.length)}${list === '' ? '' : ` ${t('changes.refused', { list })}`}`;
}
