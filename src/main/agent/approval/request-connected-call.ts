import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { messageOf } from '@shared/errors.ts';
import { sessionGrants } from '../../safety/session-answers.ts';
import { answersSoFar } from '../preparation/resolve-hard-links.ts';
import type { AskToConnect } from '../../tools/define.ts';
import { calledText } from '../../tools/connected/connected-tool.ts';
import type { Turn } from '../turn/turn.ts';
import type { FencesAnswer } from './pass-outgoing-fences.ts';
import { passOutgoingFences } from './pass-outgoing-fences.ts';
import { askApproval, askForScope } from './request-approval.ts';
import { askHosts } from './request-network-access.ts';

/** A call of a connected tool, before it is made. */
export interface ConnectedCall {
  readonly spec: ConnectedToolSpec;
  readonly toolCallId: string;
  readonly input: unknown;
}

/**
 * Whether a call may reach the server of a tool. The fences come first, so that what may not leave is never part of a
 * question. Then the user is asked, and sees exactly what would be sent. Question and answer are logged. What a server
 * says about its own tool has no influence. Throws `cancelled`.
 */
export async function askConnectedCall(turn: Turn, call: ConnectedCall): Promise<FencesAnswer> {
  const { spec, toolCallId } = call;
  const fenced = await passFences(turn, call);
  if (fenced.type === 'denied') return fenced;
  // Nobody can say yes to calls that cannot be listed.
  const problem = spec.isRouter === true ? innerCallsOf(fenced.input).problem : null;
  if (problem !== null) {
    return {
      type: 'denied',
      text: `Not sent to ${spec.server}: ${problem}. Make fewer, plain calls.`,
      byNobody: false,
    };
  }
  const text = shownText(spec, fenced.input);
  const subject = `${spec.server}: ${calledText(spec, fenced.input)}`;
  const sha256 = sha256Of(JSON.stringify([spec, fenced.input]));
  const { own } = spec;
  if (own !== undefined && own.hosts.length > 0) {
    // Asked every time, unlike the hosts of commands, because a tool with a key may change something there.
    const note = own.secrets.length === 0 ? {} : { note: `The tool gets ${own.secrets.join(', ')}.` };
    const said = await askHosts(turn, {
      kind: 'connected-tool',
      toolCallId,
      hosts: [...own.hosts].sort(),
      subject,
      sha256,
      use: 'change',
      text,
      ...note,
    });
    return said.type === 'granted' ? fenced : said;
  }
  const lasting = turn.dependencies.tools.connected?.lasting;
  const grant = spec.isRouter === true || own !== undefined ? null : ((await lasting?.coverOf(spec)) ?? null);
  const allowedBefore = grant === null ? null : await whyAllowed(turn, { spec, grant });
  const { answer, scope } = await askForScope(turn, {
    kind: 'connected-tool',
    subject,
    reason: reasonOf(spec),
    toolCallId,
    shown: { sha256, text, diff: null },
    ...(grant === null ? {} : { grant }),
    ...(allowedBefore === null ? {} : { allowedBefore }),
  });
  if (answer === 'allow' && scope === 'always' && grant !== null) await keepAlways(turn, { spec, grant });
  if (answer === 'allow') return fenced;
  return { type: 'denied', text: `Not allowed: ${subject}`, byNobody: answer === 'nobody' };
}

interface Lasting {
  readonly spec: ConnectedToolSpec;
  /** What a lasting yes covers: this server and this definition of the tool. */
  readonly grant: string;
}

/** The lasting yes that the user gave to exactly this tool; null: none. */
async function whyAllowed({ dependencies }: Turn, { spec, grant }: Lasting): Promise<string | null> {
  const isAlways = (await dependencies.tools.connected?.lasting?.isAllowed(spec, grant)) ?? false;
  if (isAlways) return 'You always allow this tool. Tools has the switch.';
  const isForSession = sessionGrants(await answersSoFar(dependencies.journal)).has(grant);
  return isForSession ? 'You allowed this tool for the session.' : null;
}

async function keepAlways({ dependencies, log }: Turn, { spec, grant }: Lasting): Promise<void> {
  try {
    await dependencies.tools.connected?.lasting?.allow(spec, grant);
  } catch (error) {
    const text = `The call is allowed, but your yes to later calls could not be saved: ${messageOf(error)}`;
    await log.append({ type: 'notice-added', level: 'warning', code: 'rule-not-kept', text });
  }
}

function reasonOf({ leaves, own }: ConnectedToolSpec): string {
  if (own !== undefined) return `It reaches no host. The tool gets ${own.secrets.join(', ')}.`;
  return leaves ? 'What it gets leaves this machine.' : 'You said that its server keeps what it gets here.';
}

/** Checks a call as if a cloud model got its arguments, which were written with the whole conversation in view. */
async function passFences(turn: Turn, { spec, toolCallId, input }: ConnectedCall): Promise<FencesAnswer> {
  if (!spec.leaves) return { type: 'granted', input };
  const { server } = spec;
  const name = calledText(spec, input);
  return passOutgoingFences(turn, {
    to: { id: `tools/${server}`, name, label: server },
    toolCallId,
    input,
    refusesFiles: true,
  });
}

/** Exactly what would be sent. Calls inside it are listed first, one by one, so that none is overlooked. */
function shownText({ isRouter }: ConnectedToolSpec, input: unknown): string {
  const whole = JSON.stringify(input, null, 2);
  const inner = isRouter === true ? innerCallsOf(input).calls : [];
  if (inner.length === 0) return whole;
  const calls = inner.map(
    ({ tool, input: given }, at) => `Call ${at + 1} of ${inner.length}: ${tool}\n${JSON.stringify(given, null, 2)}`,
  );
  return [...calls, `All that is sent:\n${whole}`].join('\n\n');
}

/** Shows the link that connects an account, and waits for the account or the user's answer. */
export function accountQuestion(turn: Turn, toolCallId: string): AskToConnect {
  return ({ server, toolkit, url }, settled) =>
    askApproval(turn, {
      kind: 'connection',
      subject: `${server}: ${toolkit ?? 'an account'}`,
      reason: 'Open the link in your browser and sign in there. The work goes on when the account is connected.',
      toolCallId,
      shown: { sha256: sha256Of(url), text: url, diff: null },
      ...(settled === null ? {} : { settled }),
    });
}
