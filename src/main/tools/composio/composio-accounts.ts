import { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ComposioDefinition, ToolkitConnection } from '@shared/tools/composio.ts';
import { sleep } from '../../lib/async/abort.ts';
import { type ComposioApi, bodyOf } from './composio-api.ts';
import type { ComposioSession, ToolkitState } from './composio-session.ts';
import { pathOf, toolkitStates } from './composio-session.ts';

/** The user's accounts at services, which the tools of a server work with. */
export interface ServiceAccounts {
  /** The toolkits that the definition names. If it names none, those with a connected account. */
  readonly list: (signal: AbortSignal) => Promise<readonly ToolkitConnection[]>;
  /** Starts to connect an account and returns the link. Null: it is connected, or no account is needed. */
  readonly link: (toolkit: string, signal: AbortSignal) => Promise<string | null>;
  /** Resolves when the account is connected. Rejects when that failed, when it took too long, and on abort. */
  readonly connected: (toolkit: string, signal: AbortSignal) => Promise<void>;
  /** One line for a model at the start of its work: which accounts are connected and which are not. Never rejects. */
  readonly told: (signal: AbortSignal) => Promise<string>;
}

interface AccountsOptions {
  readonly name: string;
  readonly api: ComposioApi;
  readonly session: ComposioSession;
  readonly definition: ComposioDefinition;
  /** Pause between two checks of an account that is being connected. Tests make it short. */
  readonly pollMs?: number;
}

const defaultPollMs = 2_000;
/** At most services a link is not valid for longer. */
const waitMs = 10 * 60_000;
/** Number of failed checks in a row before the wait ends. The user's network may be down for a while. */
const mostFailures = 5;

const linkSchema = z.object({ redirect_url: z.url({ protocol: /^https$/ }) });
const ended = ['FAILED', 'EXPIRED', 'REVOKED', 'INACTIVE'];

export function createAccounts(options: AccountsOptions): ServiceAccounts {
  const { api, session, definition, name } = options;
  const stateOf = async (toolkit: string, signal: AbortSignal): Promise<ToolkitState | null> =>
    (await toolkitStates(api, session, [toolkit], signal)).find((one) => one.toolkit === toolkit) ?? null;
  const list = async (signal: AbortSignal): Promise<readonly ToolkitState[]> => {
    const { toolkits } = definition;
    return toolkitStates(api, session, toolkits.length === 0 ? 'connected' : toolkits, signal);
  };
  return {
    list,
    link: async (toolkit, signal) => {
      const state = await stateOf(toolkit, signal);
      if (state === null) {
        throw new AppError('not-found', `Composio knows no toolkit ${toolkit} for ${name}.`, {
          hint: 'Check its short name, and whether the server is held to other toolkits.',
        });
      }
      if (state.state !== 'not-connected') return null;
      const answer = await api({ method: 'POST', path: pathOf(session.id, '/link'), body: { toolkit } }, signal);
      const made = linkSchema.safeParse(bodyOf(answer, `Composio gave no link for ${toolkit}`));
      if (made.success) return made.data.redirect_url;
      throw new AppError('network', `Composio gave no link for ${toolkit} that can be opened.`);
    },
    connected: (toolkit, signal) => waitFor(toolkit, () => stateOf(toolkit, signal), options.pollMs, signal),
    told: async (signal) => {
      try {
        return toldText(name, definition, await list(signal));
      } catch (error) {
        return `${name}: what is connected is not known. ${messageOf(error)}`;
      }
    },
  };
}

async function waitFor(
  toolkit: string,
  look: () => Promise<ToolkitState | null>,
  pollMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + waitMs;
  // The failed state of an old account is no answer about the new one.
  let before: ToolkitState | null | undefined;
  let failures = 0;
  while (performance.now() < until) {
    try {
      const state = await look();
      failures = 0;
      if (state?.state === 'connected' || state?.state === 'none-needed') return;
      before ??= state;
      const isNew = state?.accountId !== before?.accountId || state?.status !== before?.status;
      if (isNew && state !== null && ended.includes(state.status ?? ''))
        throw new AppError('refused', `${toolkit} was not connected: Composio says ${state.status ?? ''}.`);
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      const isFinal = error instanceof AppError && error.code !== 'network';
      if (isFinal || failures >= mostFailures) throw error;
    }
    await sleep(pollMs ?? defaultPollMs, signal);
  }
  throw new AppError('timeout', `${toolkit} was not connected within ${waitMs / 60_000} minutes.`, {
    hint: 'Ask for a new link.',
  });
}

function toldText(name: string, { user }: ComposioDefinition, states: readonly ToolkitState[]): string {
  const of = (state: ToolkitConnection['state']): string =>
    states
      .filter((one) => one.state === state)
      .map(({ toolkit, status }) => (status === null || status === 'ACTIVE' ? toolkit : `${toolkit} (${status})`))
      .slice(0, 50)
      .join(', ');
  const connected = [of('connected'), of('none-needed')].filter((text) => text !== '').join(', ');
  const missing = of('not-connected');
  return [
    `${name}, for the user ${JSON.stringify(user)}: connected are ${connected === '' ? 'no accounts' : connected}.`,
    ...(missing === '' ? [] : [`Not connected: ${missing}.`]),
  ].join(' ');
}
