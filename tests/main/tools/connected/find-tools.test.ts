import { describe, expect, it } from 'vitest';
import { createFindTools, searchTools } from '../../../../src/main/tools/connected/find-tools.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';

function spec(server: string, tool: string, description: string, properties: object = {}): ConnectedToolSpec {
  const inputSchema = { type: 'object', properties };
  return { name: `${server}__${tool}`, server, tool, description, inputSchema, leaves: true, readsFiles: false };
}

const tools = [
  spec('tracker', 'create_issue', 'Creates an issue in a repository.', { title: { type: 'string' } }),
  spec('tracker', 'searchIssues', 'Finds issues by words, labels and people.'),
  spec('chat', 'post_message', 'Posts a message to a channel.', { channel: { description: 'name of the channel' } }),
  spec('files', 'read_text', 'Reads a file as text.', { path: { type: 'string' } }),
  spec('weather', 'forecast', 'Tells the weather of the next days.', { city: { type: 'string' } }),
  spec('calendar', 'list_events', 'Lists the events of a day.', { day: { type: 'string' } }),
];

const best = async (query: string) => (await searchTools(tools, query))[0]?.tool;

/** The tool's text. The tool never throws. */
async function said(specs: readonly ConnectedToolSpec[], query: string): Promise<string> {
  const [find] = createFindTools(specs);
  // The tool uses only its input.
  const { output = '' } = (await find?.run({ query }, {} as never)) ?? {};
  return output;
}

describe('the search for tools', () => {
  it.each([
    ['report a bug as an issue', 'create_issue'],
    ['search issues by label', 'searchIssues'],
    ['tell the team in the channel that it is done', 'post_message'],
    ['will it rain in Berlin: weather', 'forecast'],
    ['which events are there on that day', 'list_events'],
    ['tracker__create_issue', 'create_issue'],
    ['read_text', 'read_text'],
    ['the city', 'forecast'],
  ])('for %j gives %s first: by name, description, arguments and server', async (query, tool) => {
    expect(await best(query)).toBe(tool);
  });

  it('gives full definitions and how to call them, or says that no tool fits', async () => {
    const text = await said(tools, 'create an issue');
    expect(text).toContain('tracker__create_issue: Creates an issue');
    expect(text).toContain(JSON.stringify(tools[0]?.inputSchema));
    expect(text).toContain('call_tool');
    expect(await said(tools, 'zzzzz qqqqq')).toBe('None of the 6 tools fits. Say it in other words.');
  });

  it('lists every server with its tools if nothing is looked for', async () => {
    const text = await said(tools, ' ');
    expect(text).toContain('6 tools of 5 servers:\ntracker: tracker__create_issue, tracker__searchIssues\nchat: ');
    const many = Array.from({ length: 5000 }, (_, at) => spec(`server${at}`, 'do_this', 'Does this.'));
    expect((await said(many, '')).length).toBeLessThan(13_000);
  });

  it('never fills the window, whatever names and descriptions contain', async () => {
    const loud = Array.from({ length: 1_000 }, (_, at) =>
      spec('loud', `issue_${at}_${'x'.repeat(200)}`, `issue ${'issue '.repeat(9_000)}`, {
        ['p'.repeat(50_000)]: { description: 'issue' },
      }),
    );
    const text = await said([...loud, ...tools], 'create an issue');
    expect(text.length).toBeLessThan(40_000);
    // A tool does not rank first because it repeats a word.
    expect(text.includes('tracker__create_issue')).toBe(true);
    expect((createFindTools(loud)[0]?.description ?? '').length).toBeLessThan(1_000);
    expect(await said(loud, '__proto__ constructor')).toContain('None of');
    expect((await said([...loud, ...tools], 'z'.repeat(100_000))).slice(0, 20)).toBe('None of the 1006 too');
  }, 30_000);
});
