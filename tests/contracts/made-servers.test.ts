import { expect, it } from 'vitest';
import { callMadeServer } from '../fakes/call-made-server.ts';
import { madeServers } from '../fakes/made-servers.ts';

// Catches: a server as there are many, with which a call ends wrongly or with a sentence that says something else.
it.each(madeServers.map((made) => [made.name, made] as const))(
  'a server with %s gets the right result',
  async (_name, made) => {
    expect(await callMadeServer(made)).toEqual([]);
  },
);
