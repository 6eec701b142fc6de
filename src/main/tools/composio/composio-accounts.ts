import { z } from 'zod';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ComposioDefinition, ToolkitConnection } from '@shared/tools/composio.ts';
import { sleep } from '../../lib/async/abort.ts';
import { type ComposioApi, bodyOf } from './composio-api.ts';
import type { ComposioSession, ToolkitState } from './composio-session.ts';
import { pathOf, toolkitStates } from './composio-session.ts';

/** Accounts of the user at services, through which the tools of a server work. */
export interface ServiceAccounts {
  /** Those that are connected, and those that the definition names. */
  readonly list: (signal: AbortSignal) => Promise<readonly ToolkitConnection[]>;
  /** Begins to connect one; null: it is connected, or needs no account. */
  readonly link: (toolkit: string, signal: AbortSignal) => Promise<string | null>;
  /** Resolves when the account is there; rejects when it failed, with the signal, and after a time. */
  readonly connected: (toolkit: string, signal: AbortSignal) => Promise<void>;
  /** In a line, what is connected and what is not, for a model at the start of its work. Never rejects. */
  readonly told: (signal: AbortSignal) => Promise<string>;
}

interface AccountsOptions {
  readonly name: string;
  readonly api: ComposioApi;
  readonly session: ComposioSession;
  readonly definition: ComposioDefinition;
  /** Between two looks at an account that a person is connecting; tests make it short. */
  readonly pollMs?: number;
}

const defaultPollMs = 2_000;
/** A link is not good for longer at most services. */
const waitMs = 10 * 60_000;
/** So many looks may fail one after the other: a person may be on a train. */
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
  const until = Date.now() + waitMs;
  // An old account that has failed says nothing of the new one.
  let before: ToolkitState | null | undefined;
  let failures = 0;
  while (Date.now() < until) {
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
