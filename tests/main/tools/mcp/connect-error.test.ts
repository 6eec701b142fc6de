import { describe, expect, it } from 'vitest';
import { connectError } from '../../../../src/main/tools/mcp/connect-error.ts';
import { createProcessTransport } from '../../../../src/main/tools/mcp/process-transport.ts';
import type { ServerStart } from '../../../../src/main/tools/mcp/server-process.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';

type Printed = readonly (readonly [stream: 'stdout' | 'stderr', text: string])[];

/** Starts a server that prints and ends, and returns what a person is told. */
async function toldAfter(printed: Printed, exitCode: number | null, more: object = {}) {
  const definition = serverDefinitionSchema.parse({ kind: 'stdio', command: 'npx', args: ['weather'], ...more });
  const transport = createProcessTransport(async (hear: ServerStart['onOutput']) => {
    for (const [stream, text] of printed) hear(stream, Buffer.from(text));
    return { write: async () => undefined, ended: Promise.resolve({ exitCode }), close: async () => undefined };
  });
  await transport.start();
  await new Promise((done) => setImmediate(done));
  // What the client package says when the pipes close.
  const error = new Error('Version negotiation probe failed: Connection closed during the version negotiation probe');
  return connectError({ name: 'weather', definition }, error, transport);
}

// Catches: words of the protocol package in place of what happened, and a reason on the output that nobody shows.
describe('a tool server that ends at its start', () => {
  it('is told of with its exit code and what it printed, and without words of the protocol', async () => {
    const { message, hint } = await toldAfter([['stderr', "Error: Cannot find module 'left-pad'\n"]], 1);
    expect(message).toBe(
      "The tool server weather could not be used: it ended before it answered, with the exit code 1. It printed: Error: Cannot find module 'left-pad'",
    );
    expect(hint).toBe('Check its command and its arguments.');
  });

  it('is told of with what it printed among its messages, where its error output is empty', async () => {
    const { message } = await toldAfter([['stdout', 'Usage: weather [--stdio]\n']], 2);
    expect(message).toContain('It printed: Usage: weather [--stdio]');
  });

  it('says nothing of a code that is not known', async () => {
    const { message } = await toldAfter([], null);
    expect(message).toBe('The tool server weather could not be used: it ended before it answered.');
  });

  it('names the command that gives it the variable which it misses', async () => {
    const printed: Printed = [['stderr', 'ERROR: WEATHER_API_KEY environment variable is required\n']];
    expect((await toldAfter(printed, 1)).hint).toContain('dewpoint tools edit weather --env WEATHER_API_KEY');
    expect((await toldAfter(printed, 1, { env: ['WEATHER_API_KEY'] })).hint).toBe(
      'Check its command and its arguments.',
    );
  });

  it('shows the line that names the error, and not the end of a long trace', async () => {
    const trace = Array.from({ length: 30 }, (_, at) => `    at step${at} (/srv/node_modules/weather/index.js:${at})`);
    const printed = ['loading', "Error: Cannot find module './sun'", ...trace].join('\n');
    const { message } = await toldAfter([['stderr', printed]], 1);
    expect(message).toContain("It printed: … Error: Cannot find module './sun'\n    at step0");
    expect(message).toMatch(/ …$/u);
    const { message: calm } = await toldAfter([['stderr', `${'word '.repeat(300)}the end\n`]], 1);
    expect(calm).toMatch(/It printed: … .*the end$/u);
  });

  it('names the folder of a download that was cut off, which npx would start for ever', async () => {
    const folder = '/home/ada/.npm/_npx/5b2dd62b9d0bddd4';
    const printed: Printed = [
      ['stderr', `Error: Cannot find module './limit'\nRequire stack:\n- ${folder}/node_modules/x/index.js\n`],
    ];
    expect((await toldAfter(printed, 1, { where: 'host' })).hint).toBe(
      `Its download was cut off. Delete the folder ${folder}, then try again.`,
    );
    // In its container, Dewpoint removes the half by itself.
    expect((await toldAfter(printed, 1)).hint).toContain('it is downloaded anew: dewpoint tools test weather');
  });
});

describe('a tool server that stays silent', () => {
  const late = (command: string) => {
    const definition = serverDefinitionSchema.parse({ kind: 'stdio', command, args: ['weather'] });
    const error = new Error('Version negotiation probe timed out after 180000ms.');
    const silent = { said: () => '', exit: () => null, endedFor: () => null, isSilent: () => true };
    return connectError({ name: 'weather', definition, connectMs: 180_000 }, error, silent);
  };

  it('is told of with the seconds that it had, and without words of the protocol', () => {
    const { message, hint } = late('weather-server');
    expect(message).toBe('The tool server weather could not be used: it did not answer within 180 s.');
    expect(hint).toBe('Check its command and its arguments.');
  });

  it('may be tried again where it downloads itself first', () => {
    expect(late('npx').hint).toContain('It may still be downloading. What it downloaded is kept, so try again');
  });
});
