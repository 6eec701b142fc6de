import { frame, startChatServer, type Behavior } from '../fakes/chat-server.ts';
import type { Answer } from './program.ts';

export interface HeldAnswer extends Answer {
  /** The answer waits until the test releases it. */
  readonly isHeld?: boolean;
}

/**
 * A model behind a server of the test, which answers when the test is ready. So a user's action happens while the model
 * works, however slow either of them is. For a program's settings. The caller disposes it.
 */
export interface HeldModel extends AsyncDisposable {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Releases the held answer, and all later ones. */
  readonly release: () => void;
}

export async function startHeldModel(answers: readonly HeldAnswer[]): Promise<HeldModel> {
  const server = await startChatServer();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const [first = { type: 'status', status: 500 }, ...others] = answers.map((answer, index): Behavior => {
    const body = streamOf(answer, index);
    return { type: 'stream', body, after: 'end', ...(answer.isHeld === true ? { until: released } : {}) };
  });
  server.behave(first, ...others);
  const provider = {
    kind: 'openai-compatible',
    baseUrl: server.baseUrl,
    where: 'local',
    models: { m: { strategies: ['loop'] } },
  };
  return {
    settings: { local: 'held/m', providers: { held: provider } },
    release: () => release(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** An answer as a stream. The arguments of each call come in two pieces. */
export function streamOf({ text, toolCalls = [] }: Answer, number = 0): string {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    frame({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const pieces = toolCalls.flatMap(({ name, input }, index) => {
    const json = JSON.stringify(input);
    const half = Math.floor(json.length / 2);
    const head = { name, arguments: json.slice(0, half) };
    return [
      chunk({ tool_calls: [{ index, id: `c${number}-${index}`, type: 'function', function: head }] }),
      chunk({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] }),
    ];
  });
  return [
    chunk({ role: 'assistant', content: text ?? '' }),
    ...pieces,
    chunk({}, toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    'data: [DONE]\n\n',
  ].join('');
}
