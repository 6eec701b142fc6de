import type { Dispatcher } from 'undici';
import { packingProblem, safeOffer } from './safe-packing.ts';

/** Makes the error for an answer that is refused. */
export type Refuse = (why: string) => Error;

/**
 * Lets a dispatcher of `fetch` offer and accept only safe ways of packing. It stands where the headers arrive, because
 * `fetch` unpacks an answer as soon as it comes, whether or not anybody reads it.
 */
export function safeAnswers(refuse: Refuse): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch({ ...options, ...safeHeaders(options) }, guarded(handler, refuse));
}

function guarded(handler: Dispatcher.DispatchHandler, refuse: Refuse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (controller, status, headers, socket) =>
      handler.onRequestUpgrade?.(controller, status, headers, socket),
    onResponseStart: (controller, status, headers, text) => {
      const problem = packingProblem(headers['content-encoding']);
      // Ends the connection and reports the error to `onResponseError`.
      if (problem !== null) controller.abort(refuse(problem));
      else handler.onResponseStart?.(controller, status, headers, text);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

/** `fetch` passes its headers as an object. */
function safeHeaders({ headers }: Dispatcher.DispatchOptions): Pick<Dispatcher.DispatchOptions, 'headers'> {
  if (headers === null || headers === undefined || Symbol.iterator in headers) return {};
  const entries = Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === 'accept-encoding' ? [name, safeOffer(value)] : [name, value],
  );
  return { headers: Object.fromEntries(entries) };
}
