import { failure, success, type Reply } from '@shared/errors.ts';
import type { CheckedRequest, RequestWeb, WebUse } from '../../tools/web/web-request.ts';
import { requestThroughRedirects } from '../../tools/web/web-request.ts';
import type { Turn } from '../turn/turn.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { passOutgoingFences } from './pass-outgoing-fences.ts';
import { askHosts } from './request-network-access.ts';

/** The access of one call to the web. */
export interface WebDoor {
  readonly request: RequestWeb;
  /** A question came up and there was nobody to ask. */
  readonly isUnanswered: () => boolean;
}

/**
 * How a tool reaches the web. Before anything leaves, the fences check all of it. Then the host is asked for and
 * remembered like the hosts of commands; a request that may change something is asked about every time, with its body.
 * Questions, answers and transfers are logged. From then on the session counts as having read text from outside.
 */
export function createWebDoor(turn: Turn, toolCallId: string, signal: AbortSignal): WebDoor {
  const { web } = turn.dependencies.tools;
  let isUnanswered = false;
  const uses: WebUse[] = [];
  const allow = async (request: CheckedRequest): Promise<Reply<CheckedRequest>> => {
    const { method, url, host, headers, body } = request;
    const to = { id: `web/${host}`, name: `${method} ${host}`, label: host };
    const input = { url: url.href, headers, body, read: [...readings(url.href), ...readings(body ?? '')] };
    const fenced = await passOutgoingFences(turn, { to, toolCallId, input, isWhole: true });
    const answer = fenced.type === 'denied' ? fenced : await ask(turn, toolCallId, request);
    if (answer.type === 'granted') return success(request);
    isUnanswered ||= answer.byNobody;
    return failure('refused', answer.text);
  };
  return {
    isUnanswered: () => isUnanswered,
    request: async (wish) => {
      if (web === null) return failure('refused', 'The web is not reached from here.');
      try {
        return await requestThroughRedirects(wish, {
          allow,
          send: (request) => web.exchange(request, { signal, onUse: (use) => uses.push(use) }),
        });
      } finally {
        for (const use of uses.splice(0)) await turn.log.close({ type: 'network-used', toolCallId, count: 1, ...use });
      }
    },
  };
}

/** What a receiver may read in a text after undoing plus signs and percent encoding, up to three times. */
function readings(text: string): readonly string[] {
  const found: string[] = [];
  let at = text;
  for (let count = 0; count < 3; count += 1) {
    // One invalid sequence must not hide the others.
    const next = at.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-f]{2})+/giu, percentDecoded);
    if (next === at) return found;
    found.push(next);
    at = next;
  }
  return found;
}

function percentDecoded(run: string): string {
  return Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8');
}

function ask(turn: Turn, toolCallId: string, { method, url, host, headers, body, why }: CheckedRequest) {
  const isChange = method !== 'GET' && method !== 'HEAD';
  const shown = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body ?? ''].join('\n');
  return askHosts(turn, {
    kind: 'web',
    toolCallId,
    hosts: [host],
    subject: `${method} ${url.href}`,
    sha256: sha256Of(JSON.stringify([method, url.href, headers, body])),
    why,
    use: isChange ? 'change' : 'read',
    ...(isChange ? { text: shown } : {}),
  });
}
