// Posts a message to a chat by an incoming webhook (Slack; others take the same with their own host and field).
//
// Save the address of the webhook: dewpoint tools secret TOOL_NAME CHAT_WEBHOOK_URL

export default {
  name: 'TOOL_NAME',
  description: "Posts a message to the team's chat.",
  input_schema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'the message' } },
    required: ['text'],
  },
  hosts: ['hooks.slack.com'],
  secrets: ['CHAT_WEBHOOK_URL'],
  timeout_seconds: 30,

  async execute({ text }) {
    const response = await fetch(process.env.CHAT_WEBHOOK_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The chat answered ${response.status}: ${answer.slice(0, 2000)}`);
    return 'Posted.';
  },
};
