import type { ProviderError } from '../define.ts';

/** An error that a service returned instead of an answer, or in the middle of one. */
export interface Refusal {
  /** Absent for an error inside a stream that began well. */
  readonly status: number | undefined;
  readonly message: string;
  readonly headers?: Headers | undefined;
  /** The service's own code (`overloaded_error`, `RESOURCE_EXHAUSTED`, `insufficient_quota`). */
  readonly kind?: string | undefined;
  /** The waiting time, if the body names one. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Maps a refusal to our codes. All known services use the same words. The status counts least, because proxies
 * change it.
 */
export function errorOfRefusal(refusal: Refusal): ProviderError {
  const { status, kind = '' } = refusal;
  const message = readable(refusal.message);
  const wait = refusal.retryAfterMs ?? retryAfterMs(refusal.headers);
  const later = wait === null ? {} : { retryAfterMs: wait };
  // Waiting does not restore used-up credit, whatever the status says.
  if (/insufficient_quota|billing|credit/iu.test(kind) || status === 402)
    return { code: 'no-credit', message: `${message} (Your account has no credit left.)`, retryable: false };
  if (status === 429 || /rate.?limit|resource_exhausted|too_many_requests/iu.test(kind))
    return { code: 'rate-limit', message, retryable: true, ...later };
  if (status === 451) return { code: 'blocked', message: `${message} (Not allowed from here, 451.)`, retryable: false };
  if (status === 403 && /countr|\bregion|territor|\blocation/iu.test(`${kind} ${message}`))
    return {
      code: 'blocked',
      message: `${message} (Not from where you are. Your key was not judged.)`,
      retryable: false,
    };
  if (status === 401 || status === 403 || /authentication|permission|invalid_api_key|unauthenticated/iu.test(kind))
    return { code: 'auth', message, retryable: false };
  if (isContextFull(`${kind} ${message}`)) {
    const contextTokens = contextIn(message);
    const size = contextTokens === null ? {} : { contextTokens };
    return { code: 'context-full', message, retryable: false, ...size };
  }
  if (status === 404 && !/model/iu.test(`${kind} ${message}`))
    return {
      code: 'missing-model',
      message: `${message} (Nothing was found there. Check the base URL.)`,
      retryable: false,
    };
  if (status === 404 || /not_found|model_not_found/iu.test(kind))
    return { code: 'missing-model', message, retryable: false };
  if (status === 413) return { code: 'context-full', message, retryable: false };
  if (status === 408 || status === 409) return { code: 'overloaded', message, retryable: true, ...later };
  if ((status !== undefined && status >= 400 && status < 500) || /invalid_(request|argument|prompt)/iu.test(kind))
    return { code: 'bad-request', message, retryable: false };
  // An error inside a 200 has no error status: the server failed in the middle.
  return { code: 'overloaded', message, retryable: true, ...later };
}

const LONGEST_MESSAGE = 500;

const pageStart = /<(?:!doctype|html|head|body)\b/iu;

/** Whether a response is a page for people. */
export function isWebPage(text: string): boolean {
  return pageStart.test(text.slice(0, 4_000));
}

/** Makes a readable sentence of a response text. A web page is reduced to its title. */
export function readable(text: string): string {
  const page = pageStart.exec(text);
  if (page === null) return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)} …` : text;
  const title = /<(title|h1)\b[^<>]*>([^<]+)</iu.exec(text)?.[2]?.replace(/\s+/gu, ' ').trim() ?? '';
  // Packages put the status before the body.
  return `${text.slice(0, page.index)}a web page${title === '' ? '' : ` ("${title.slice(0, 100)}")`}`;
}

function isContextFull(text: string): boolean {
  if (
    /context.?(length|window|size)|maximum context|exceed_context|context limit|context is \d|must be <= ?\d+\. Given: \d+ `inputs`|too many tokens|prompt is too long|input token count.{0,200}exceeds/iu.test(
      text,
    )
  )
    return true;
  // Other words for the same. A limit of the answer is another matter.
  return (
    /(?:input|prompt|messages?|request)\b.{0,40}\btoo (?:long|large)|(?:input|prompt|sequence) length|maximum allowed length|reduce the length/iu.test(
      text,
    ) && !/max_(?:completion_|output_|new_)?tokens|completion tokens|output tokens/iu.test(text)
  );
}

/**
 * The context size that a service names when a prompt is too long. Null: none. The size stands beside its word, and is
 * no count of the prompt.
 */
export function contextIn(message: string): number | null {
  for (const pattern of sizes) {
    const tokens = Number(pattern.exec(message)?.[1]?.replace(/[,_ ]/gu, '') ?? Number.NaN);
    if (Number.isSafeInteger(tokens) && tokens >= 256) return tokens;
  }
  return null;
}

const number = String.raw`(\d[\d,_ ]{0,12}\d)`;
const sizes: readonly RegExp[] = [
  new RegExp(
    String.raw`(?:maximum context length|context (?:length|window|size|limit)|n_ctx|num_ctx|max_model_len)\W{0,3}(?:is|of|=|:)?\s{0,2}(?:only )?\(?${number}`,
    'iu',
  ),
  new RegExp(
    String.raw`(?:>|exceeds?(?: the)?(?: available| maximum| model.s)?[^\d.]{0,60}?)\s{0,2}\(?${number}\)?(?: tokens?)?(?: maximum)?`,
    'iu',
  ),
  new RegExp(String.raw`${number}[- ]token (?:context|limit|window)`, 'iu'),
];

/** The waiting time that the headers ask for, in milliseconds. Null if none can be read. */
export function retryAfterMs(headers: Headers | undefined): number | null {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after');
  if (text === null || text === undefined || text === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  if (Number.isNaN(date)) return null;
  // The server's own clock, if it says its time: this machine's may be wrong.
  const sentAt = Date.parse(headers?.get('date') ?? '');
  return Math.max(0, date - (Number.isNaN(sentAt) ? Date.now() : sentAt));
}
