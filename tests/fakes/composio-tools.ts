/** The tools of the fake Composio and their answers. Their names occur only here and in tests, never in the product. */
export interface FakeComposioTool {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly toolkit: string;
  readonly tags: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
}

const object = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});
const text = (description: string) => ({ type: 'string', description });

const meta = (slug: string, description: string, input: FakeComposioTool['input']): FakeComposioTool => ({
  slug,
  name: slug,
  description,
  toolkit: 'composio',
  tags: ['openWorldHint'],
  input,
});

export const searchTool = meta(
  'COMPOSIO_SEARCH_TOOLS',
  'Finds tools for a use case.',
  object({ queries: { type: 'array', items: object({ use_case: text('what is to be done') }, ['use_case']) } }, [
    'queries',
  ]),
);
export const schemasTool = meta(
  'COMPOSIO_GET_TOOL_SCHEMAS',
  'Gives the whole schemas of tools.',
  object({ tool_slugs: { type: 'array', items: { type: 'string' } } }, ['tool_slugs']),
);
export const multiTool = meta(
  'COMPOSIO_MULTI_EXECUTE_TOOL',
  'Runs up to 50 tools.',
  object(
    {
      tools: {
        type: 'array',
        maxItems: 50,
        items: object({ tool_slug: text('which'), arguments: { type: 'object' } }, ['tool_slug', 'arguments']),
      },
      sync_response_to_workbench: { type: 'boolean' },
    },
    ['tools', 'sync_response_to_workbench'],
  ),
);
export const manageTool = meta(
  'COMPOSIO_MANAGE_CONNECTIONS',
  'Connects accounts, and gives links for it.',
  object({ toolkits: { type: 'array', items: { type: 'string' } } }, ['toolkits']),
);
export const workbenchTools = [
  meta('COMPOSIO_REMOTE_WORKBENCH', 'Runs Python on a machine of Composio.', object({ code_to_execute: text('code') })),
  meta('COMPOSIO_REMOTE_BASH_TOOL', 'Runs commands on a machine of Composio.', object({ command: text('command') })),
];

const app = (slug: string, toolkit: string, tags: readonly string[], input: FakeComposioTool['input']) => ({
  slug,
  name: slug.toLowerCase().replaceAll('_', ' '),
  description: `Does ${slug.toLowerCase()}.`,
  toolkit,
  tags,
  input,
});

export const appTools: readonly FakeComposioTool[] = [
  app(
    'GITHUB_CREATE_AN_ISSUE',
    'github',
    ['createHint'],
    object({ owner: text('owner'), repo: text('repository'), title: text('title'), body: text('body') }, [
      'owner',
      'repo',
      'title',
    ]),
  ),
  app('GITHUB_DELETE_A_REPOSITORY', 'github', ['destructiveHint'], object({ repo: text('repository') }, ['repo'])),
  app('SLACK_SEND_MESSAGE', 'slack', ['createHint'], object({ channel: text('channel'), text: text('text') })),
];

export const toolkitNames: Readonly<Record<string, string>> = {
  github: 'GitHub',
  slack: 'Slack',
  hackernews: 'Hacker News',
};
export const withoutAccounts: readonly string[] = ['hackernews'];
