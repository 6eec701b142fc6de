import type { Approver } from '../../agent/turn/agent-dependencies.ts';
import type { AskAboutDisk } from '../../sandbox/sandbox.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import { sha256Of } from '../../lib/sha256.ts';

export interface DiskQuestionDependencies {
  readonly journal: Pick<Journal, 'append' | 'newId'>;
  readonly approver: Approver;
}

/**
 * Asks the person of a session whether a command that stands still for want of room is to go on. Question and answer
 * stand in the log inside of what the command is part of. Where nobody can be asked it is not.
 */
export function askAboutDisk({ journal, approver }: DiskQuestionDependencies): AskAboutDisk {
  return async (subject, signal) => {
    const approvalId = journal.newId('approval');
    const sha256 = sha256Of(`disk\n${subject}`);
    await journal.append({ type: 'approval-requested', approvalId, toolCallId: '', kind: 'disk', subject, sha256 });
    const said = await approver.ask({ approvalId, kind: 'disk', subject, reason: subject }, signal);
    const answer = said === 'deny' || said === 'nobody' ? 'deny' : 'allow';
    // Over before anybody answered: cancelled, or its container has gone.
    const by = signal.aborted ? 'policy' : said === 'nobody' ? 'nobody' : 'person';
    await journal.append({ type: 'approval-answered', approvalId, answer, by });
    return answer === 'allow' ? 'go-on' : 'stop';
  };
}
