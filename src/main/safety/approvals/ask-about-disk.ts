import type { Approver } from './approver.ts';
import type { AskAboutDisk } from '../../sandbox/sandbox.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import { sha256Of } from '../../lib/sha256.ts';

export interface DiskQuestionDependencies {
  readonly journal: Pick<Journal, 'append' | 'newId'>;
  readonly approver: Approver;
}

/**
 * Asks the user of a session whether to continue a command that is paused because the disk is full. Question and answer
 * are logged inside the action that the command belongs to. If nobody can be asked, the command stops.
 */
export function askAboutDisk({ journal, approver }: DiskQuestionDependencies): AskAboutDisk {
  return async (subject, signal) => {
    const approvalId = journal.newId('approval');
    const sha256 = sha256Of(`disk\n${subject}`);
    await journal.append({ type: 'approval-requested', approvalId, toolCallId: '', kind: 'disk', subject, sha256 });
    const said = await approver.ask({ approvalId, kind: 'disk', subject, reason: subject }, signal);
    const answer = said === 'deny' || said === 'nobody' ? 'deny' : 'allow';
    // The question ended before an answer: it was cancelled, or its container is gone.
    const by = signal.aborted ? 'policy' : said === 'nobody' ? 'nobody' : 'person';
    await journal.append({ type: 'approval-answered', approvalId, answer, by });
    return answer === 'allow' ? 'go-on' : 'stop';
  };
}
