import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { expect, it } from 'vitest';

/** Catches: one more fold of a log that takes an imported approval for one of the user. */
const source = resolve(import.meta.dirname, '../../src');

/** The files that name events of questions and answers, each with the reason why it grants nothing. */
const known: Readonly<Record<string, string>> = {
  'shared/events/approval-events.ts': 'what they are',
  'main/safety/session-answers.ts': 'the one place',
  'shared/session/reducers/reduce-turns.ts': 'hands them on',
  'shared/session/reducers/reduce-questions.ts': 'which questions are open; an import leaves none',
  'shared/session/reducers/reduce-session.ts': 'the limit that is shown; it allows nothing',
  'main/agent/approval/request-approval.ts': 'writes them',
  'main/agent/approval/request-network-access.ts': 'writes them',
  'main/safety/approvals/ask-about-disk.ts': 'writes them',
  'main/agent/step/reserve-money.ts': 'writes them',
  'main/agent/loop/earlier-calls.ts': 'how long a call waited for its answer; it grants nothing',
  'main/agent/prompt/conversation.ts': 'takes back a note about the money that is left; it grants nothing',
  'main/agent/turn/turn-log.ts': 'a comment',
  'main/hosts/text/event-lines.ts': 'prints them',
  'main/hosts/text/agent-question.ts': 'prints those of the agent',
  'main/hosts/text/follow-turn.ts': 'takes an answered question from the keyboard',
  'main/hosts/cli/commands/chat.command.ts': 'takes an answered question from the chat',
  'main/safety/receipt/receipt-facts.ts': 'why something left, for a person to read; it grants nothing',
  'main/sessions/log/event-log.ts': 'how soon they are on the disk',
  'main/sessions/children/child-approver.ts': 'writes those of a child',
  'main/sessions/library/forget-in-log.ts': 'in which words a line was kept; it grants nothing',
  'main/sessions/replay/replay-events.ts': 'of a child they are taken over as they are',
  'main/sessions/replay/replay-session.ts': 'a replay takes what was decided from its log',
  'main/routing/trajectory/trajectory.ts': 'caps of the turn that runs: it begins anew with each',
};

it('answers of a person in a log are read in one place only', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/u.test(path));
  const named = files.filter((path) => /\b(?:approval|cap)-answered\b/u.test(readFileSync(join(source, path), 'utf8')));
  const found = named.map((path) => relative('.', path).split(sep).join('/'));
  expect(found.filter((path) => known[path] === undefined)).toEqual([]);
  expect(Object.keys(known).filter((path) => !found.includes(path))).toEqual([]);
});
