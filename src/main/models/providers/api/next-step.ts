import { baseAddress } from '../../../lib/net/base-address.ts';
import { proxyOf } from '../../../lib/net/net-fetch.ts';
import { rootCause } from '../../../lib/net/root-cause.ts';
import { isThisMachine } from '../../../lib/net/this-machine.ts';

/** How to start what usually listens at a port of this machine. */
const usualServers: Readonly<Record<string, string>> = {
  '11434': 'Is Ollama running? Start it with "ollama serve".',
  '1234': 'Is LM Studio running? Start its server with "lms server start".',
  '8080': 'Is llama-server running? Start it with "llama-server -m MODEL.gguf".',
  '8000': 'Is vLLM running? Start it with "vllm serve MODEL".',
};

const checkAddress = 'Check the address of this provider, and your network connection.';
const isItOn = 'Is that machine on, and in the same network or VPN? Check the address of this provider.';

/** What to try after a failed connection, by the code that Node gives it. */
const steps: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'That machine answers, but nothing listens at this port. Start the server there so that it listens to other machines (0.0.0.0), and check the port.',
  ENOTFOUND: 'No machine has this name. Check the address of this provider for typing errors.',
  EAI_AGAIN: 'The name could not be looked up. Check your network connection.',
  EHOSTUNREACH: isItOn,
  EHOSTDOWN: isItOn,
  ENETUNREACH: checkAddress,
  ETIMEDOUT: isItOn,
  UND_ERR_CONNECT_TIMEOUT: isItOn,
};
const closed =
  'The connection was closed before an answer. The server may have stopped or restarted, or something between closes it.';
const closedCodes: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const noHttp =
  'What listens there does not speak HTTP. If it is a server with encryption, set an address that begins with https://.';

/**
 * Adds what to try next to a failed connection to the server at `url`. Its code stays, and so does an error that says it
 * already.
 */
export function withNextStep(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const root = rootCause(error);
  const step = nextStep(root, url);
  if (step === null) return error;
  const said = new Error(`${root.message.replace(/\.$/u, '')}. ${step}`);
  return new TypeError('fetch failed', { cause: Object.assign(said, { code: Reflect.get(root, 'code') }) });
}

function nextStep(root: Error, url: string): string | null {
  const code = String(Reflect.get(root, 'code'));
  if (proxyOf(root) !== null && (code in steps || closedCodes.includes(code)))
    return 'Start that proxy, or set another one: connection.proxy.';
  if (root.name === 'HTTPParserError') return noHttp;
  if (closedCodes.includes(code)) return closed;
  const { hostname, port } = new URL(url);
  if (code !== 'ECONNREFUSED' || !isThisMachine(hostname)) return steps[code] ?? null;
  return `${usualServers[port] ?? 'Is the server running? Start it.'} If it listens elsewhere, set its address.`;
}

/** What to try after a 404 at an address of a call. */
export function nothingThere(calledUrl: string): string {
  const likely = likelyBase(calledUrl);
  return likely === null
    ? 'Check the base URL of this provider.'
    : `Most servers answer below ${likely}: set that as the base URL of this provider.`;
}

/** An address below which more servers answer than below the one of this call. Null: there is none to suggest. */
function likelyBase(calledUrl: string): string | null {
  const { base } = baseAddress(calledUrl);
  const url = URL.parse(base);
  // A path of Ollama, which has no version in it.
  if (url === null || /\/api\/\w+$/u.test(url.pathname)) return null;
  const parts = base.split('/');
  const isVersion = (part = ''): boolean => /^v\d\w{0,20}$/u.test(part);
  while (isVersion(parts.at(-1)) && isVersion(parts.at(-2))) parts.pop();
  const once = parts.join('/');
  if (once !== base) return once;
  return url.pathname.split('/').some(isVersion) ? null : `${base}/v1`;
}
