import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import { parsedUrl } from '../../lib/net/parsed-url.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { FormAnswer, ServerDoor } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';
import type { ApprovalAnswer } from './request-approval.ts';
import { askApproval, askForm } from './request-approval.ts';

/** More questions than this of one call are a flood. */
const mostQuestions = 10;
const longestMessage = 4_000;
const longestUrl = 4_000;

/**
 * What the server of a tool asks while it works on a call. Each is a question to the person, with its words marked as the
 * server's. Question and answer are in the log, inside the call. Only a person's own yes is one, whatever `--approve` says.
 */
export function createServerDoor(turn: Turn, { server, tool }: ForeignToolSpec, toolCallId: string): ServerDoor {
  let asked = 0;
  const isFlood = (): boolean => {
    asked += 1;
    return asked > mostQuestions;
  };
  const subject = `${server}: ${tool}`;
  return {
    form: async (message, form) => {
      if (isFlood()) return { action: 'cancel' };
      const text = message.slice(0, longestMessage);
      const said = await askForm(turn, {
        kind: 'server-form',
        subject,
        reason: `What you fill in goes to the server ${server}.`,
        toolCallId,
        shown: { sha256: sha256Of(JSON.stringify([server, tool, text, form])), text, diff: null },
        form,
      });
      return said.values === undefined ? { action: actionOf(said.answer) } : { action: 'accept', values: said.values };
    },
    link: async (message, url) => {
      if (isFlood() || !isWebAddress(url)) return 'cancel';
      const text = message.slice(0, longestMessage);
      const answer = await askApproval(turn, {
        kind: 'server-link',
        subject: `${server}: ${new URL(url).host}`,
        reason: 'Dewpoint does not open it. Open it yourself where you trust it, then go on.',
        toolCallId,
        shown: { sha256: sha256Of(JSON.stringify([server, tool, text, url])), text, diff: null },
        url,
      });
      return answer === 'allow' ? 'accept' : actionOf(answer);
    },
  };
}

function actionOf(answer: ApprovalAnswer): Exclude<FormAnswer['action'], 'accept'> {
  return answer === 'nobody' ? 'cancel' : 'decline';
}

function isWebAddress(url: string): boolean {
  const { protocol } = parsedUrl(url) ?? {};
  return url.length <= longestUrl && (protocol === 'https:' || protocol === 'http:');
}
