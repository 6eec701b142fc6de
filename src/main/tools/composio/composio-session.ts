import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { ComposioDefinition, ToolkitConnection } from '@shared/tools/composio.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { type ComposioApi, bodyOf } from './composio-api.ts';

/** The id of a server's session, kept across restarts of Dewpoint, because a new session stays at Composio forever. */
export interface KeptSession {
  readonly read: () => Promise<string | null>;
  readonly keep: (id: string) => Promise<void>;
}

const keptSchema = z.object({ definition: z.string(), session: z.string() });

/** Keeps the id in a file of the home, for exactly this definition. */
export function keptSessionIn(folder: string, server: string, definition: ComposioDefinition): KeptSession {
  const path = join(folder, server, 'composio-session.json');
  const sha256 = sha256Of(JSON.stringify(Object.entries(definition).sort(([a], [b]) => (a < b ? -1 : 1))));
  return {
    read: async () => {
      const file = await readJsonFile(path, (value) => keptSchema.parse(value));
      return file.type === 'value' && file.value.definition === sha256 ? file.value.session : null;
    },
    keep: (session) => writeJsonFile(path, { definition: sha256, session }),
  };
}

const sessionSchema = z.object({
  session_id: z.string().min(1).max(200),
  mcp: z.object({ url: z.string() }),
});

export interface ComposioSession {
  readonly id: string;
  readonly mcpUrl: string;
}

/** The request that creates a session. What the definition does not switch on is switched off explicitly. */
export function sessionBody({ user, toolkits, directTools, workbench }: ComposioDefinition): object {
  return {
    user_id: user,
    ...(toolkits.length === 0 ? {} : { toolkits: { enable: toolkits } }),
    // Dewpoint waits for connections itself, and no model may remove one.
    manage_connections: {
      enable: !directTools,
      enable_wait_for_connections: false,
      enable_connection_removal: false,
    },
    workbench: { enable: workbench },
    ...(directTools
      ? { preload: { tools: 'all' }, search: { enable: false }, execute: { enable_multi_execute: false } }
      : {}),
  };
}

/** The kept session if it still exists, else a new one. */
export async function openSession(
  api: ComposioApi,
  definition: ComposioDefinition,
  kept: KeptSession,
  signal: AbortSignal,
): Promise<ComposioSession> {
  const known = await kept.read();
  if (known !== null) {
    const answer = await api({ method: 'GET', path: pathOf(known) }, signal);
    // Not found: the session has ended, or belongs to another key.
    if (answer.type !== 'refused' || answer.status !== 404)
      return sessionOf(bodyOf(answer, 'The session at Composio could not be used'), definition);
  }
  const answer = await api({ method: 'POST', path: '/tool_router/session', body: sessionBody(definition) }, signal);
  const session = sessionOf(bodyOf(answer, 'Composio made no session'), definition);
  await kept.keep(session.id);
  return session;
}

function sessionOf(body: unknown, { url }: ComposioDefinition): ComposioSession {
  const parsed = sessionSchema.safeParse(body);
  if (!parsed.success) throw new AppError('network', 'Composio answered with something that is no session.');
  const { session_id: id, mcp } = parsed.data;
  return { id, mcpUrl: sameOrigin(mcp.url, url) ? mcp.url : '' };
}

/** The key goes only to the address that was approved. */
function sameOrigin(one: string, other: string): boolean {
  const [left, right] = [URL.parse(one)?.origin, URL.parse(other)?.origin];
  return left !== undefined && left !== 'null' && left === right;
}

export function pathOf(session: string, what = ''): string {
  return `/tool_router/session/${encodeURIComponent(session)}${what}`;
}

/** Further pages of a list are not read. */
const mostPages = 20;

/** All items of a list, from all of its pages. */
export async function itemsOf(
  api: ComposioApi,
  {
    path,
    query,
    what,
  }: { readonly path: string; readonly query: Readonly<Record<string, string>>; readonly what: string },
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const asked: Readonly<Record<string, string>> = cursor === null ? query : { ...query, cursor };
    const body = bodyOf(await api({ method: 'GET', path, query: asked }, signal), what);
    if (!isRecord(body) || !Array.isArray(body.items)) throw new AppError('network', `${what}: no list came.`);
    items.push(...body.items);
    cursor = typeof body.next_cursor === 'string' && body.next_cursor !== '' ? body.next_cursor : null;
    if (cursor === null) break;
  }
  return items;
}

const toolkitSchema = z.object({
  slug: z.string(),
  name: z.string().default(''),
  is_no_auth: z.boolean().default(false),
  connected_account: z.object({ id: z.string(), status: z.string() }).nullish(),
});

/** A toolkit of the session with the current state of its account. */
export interface ToolkitState extends ToolkitConnection {
  readonly accountId: string | null;
}

/** The named toolkits, or with 'connected' those that have a connected account. */
export async function toolkitStates(
  api: ComposioApi,
  session: ComposioSession,
  named: readonly string[] | 'connected',
  signal: AbortSignal,
): Promise<readonly ToolkitState[]> {
  const query: Readonly<Record<string, string>> =
    named === 'connected' ? { is_connected: 'true', limit: '50' } : { toolkits: named.join(','), limit: '50' };
  const path = pathOf(session.id, '/toolkits');
  const items = await itemsOf(api, { path, query, what: 'Composio did not list the connections' }, signal);
  return items.flatMap((item) => {
    const parsed = toolkitSchema.safeParse(item);
    if (!parsed.success) return [];
    const { slug, name, is_no_auth: needsNone, connected_account: account } = parsed.data;
    const status = account?.status ?? null;
    const state = needsNone ? 'none-needed' : status === 'ACTIVE' ? 'connected' : 'not-connected';
    return [{ toolkit: slug, title: name, state, status, accountId: account?.id ?? null }];
  });
}
