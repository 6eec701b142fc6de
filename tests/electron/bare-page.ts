import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import WebSocket from 'ws';

/** A page driven by the debugging protocol alone: enough to type, click and look. */
export interface BarePage {
  /** The value of an expression in the page. It must be JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Waits until an expression is true. Rejects after a minute, with what the page shows. */
  readonly until: (expression: string) => Promise<void>;
  /** Types into the first element of a selector, once it is there. */
  readonly type: (selector: string, text: string) => Promise<void>;
  readonly close: () => void;
}

const targetsSchema = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string().optional() }));
const answerSchema = z.object({
  id: z.number(),
  error: z.object({ message: z.string() }).optional(),
  result: z
    .object({
      result: z.object({ value: z.unknown().optional() }).optional(),
      exceptionDetails: z.object({ text: z.string() }).loose().optional(),
    })
    .optional(),
});
type Answer = z.infer<typeof answerSchema>;

const patienceMs = 60_000;
const lookEveryMs = 50;

export async function openBarePage(port: number): Promise<BarePage> {
  const socket = new WebSocket(await pageAddress(port));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  socket.on('message', (data: Buffer) => {
    const parsed = answerSchema.safeParse(JSON.parse(data.toString()));
    if (parsed.success) waiting.get(parsed.data.id)?.(parsed.data);
  });
  const send = async (method: string, params: object): Promise<Answer> => {
    last += 1;
    const id = last;
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    waiting.delete(id);
    const problem = answer.error?.message ?? answer.result?.exceptionDetails?.text;
    if (problem !== undefined) throw new Error(`${method}: ${problem}`);
    return answer;
  };
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return result?.result?.value;
  };
  const until = async (expression: string): Promise<void> => {
    for (const end = Date.now() + patienceMs; Date.now() < end; await wait(lookEveryMs)) {
      if ((await evaluate(expression).catch(whileLoading)) === true) return;
    }
    throw new Error(`It did not come to ${expression}:\n${String(await evaluate('document.body.innerText'))}`);
  };
  const type = async (selector: string, text: string): Promise<void> => {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await until(`${element} !== null`);
    // Sets the value as React notices it: by the element's own setter, then the event. Key presses would go to the
    // window in front, which may be another one.
    await evaluate(`(() => {
      const element = ${element};
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value').set.call(element, ${JSON.stringify(text)});
      element.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  };
  return { evaluate, until, type, close: () => socket.terminate() };
}

/** A page that is still loading has no place yet where an expression could run. */
function whileLoading(error: unknown): false {
  if (error instanceof Error && error.message.includes('execution context')) return false;
  throw error;
}

async function pageAddress(port: number): Promise<string> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(lookEveryMs)) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const page = targetsSchema.parse(await answer.json()).find((target) => target.type === 'page');
    if (page?.webSocketDebuggerUrl !== undefined) return page.webSocketDebuggerUrl;
  }
  throw new Error('No window was opened.');
}
