import { messageOf } from '@shared/errors.ts';
import type { OwnEndpoint } from '@shared/contract/host-contract.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { type ApiServer, startApiServer } from '../api/api-server.ts';
import type { ApiCore } from '../api/answer-request.ts';
import type { CoreClient } from '../../server/local-socket.ts';

export interface EndpointSwitch {
  /** Applies the settings. Never rejects: the result says what is wrong. */
  readonly apply: () => Promise<OwnEndpoint>;
  readonly set: (isOn: boolean) => Promise<OwnEndpoint>;
}

/** The endpoint of the app: the server of `dewpoint serve --api` while it is on. Makes one change at a time. */
export function createEndpointSwitch(client: () => Promise<CoreClient>, port: number): EndpointSwitch {
  let server: ApiServer | null = null;
  let busy: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<OwnEndpoint>): Promise<OwnEndpoint> => {
    const done = busy.then(work);
    busy = done.catch(() => undefined);
    return done;
  };
  const apply = async (): Promise<OwnEndpoint> => {
    try {
      const isOn = fieldOf(await (await client()).settings.get({ key: 'endpoint' }), 'isOn') === true;
      if (!isOn) {
        await server?.close();
        server = null;
        return { isOn, url: null, problem: null };
      }
      server ??= await startApiServer(renewed(client), { port });
      return { isOn, url: server.url, problem: null };
    } catch (error) {
      return { isOn: true, url: null, problem: messageOf(error) };
    }
  };
  return {
    apply: () => inTurn(apply),
    set: (isOn) =>
      inTurn(async () => {
        await (await client()).settings.set({ key: 'endpoint.isOn', value: isOn });
        return apply();
      }),
  };
}

/** Gets the core for each call, because another process may own it by then. */
function renewed(client: () => Promise<CoreClient>): ApiCore {
  return {
    endpoint: {
      knows: async (...given) => (await client()).endpoint.knows(...given),
      models: async (...given) => (await client()).endpoint.models(...given),
      answer: async (...given) => (await client()).endpoint.answer(...given),
      count: async (...given) => (await client()).endpoint.count(...given),
      readTexts: async (...given) => (await client()).endpoint.readTexts(...given),
    },
  };
}
