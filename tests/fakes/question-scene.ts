import type { PageCore } from './page-core.ts';
import type { Story } from './page-story.ts';
import { startStory } from './page-story.ts';

const choices = ['Keep the old column', 'Replace it', 'Keep both for a release'].map((one) => ({
  value: one,
  title: one,
}));
const common = { description: '', isRequired: false } as const;

/** A turn that waits for the answer to a question of the agent. */
export async function questionScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Rename the column of names', null);
  story.ask('Rename the column `name` to `full_name`, everywhere.');
  story.stage('cloud', 'A change in many files.');
  story.step({ stage: 'cloud', label: 'search for "name"', tool: 'search', output: 'db/schema.sql:4' });
  askQuestion(story, 'q1');
  return story;
}

/** The agent asks in the running turn. */
export function askQuestion(story: Story, approvalId: string): void {
  story.append({
    type: 'approval-requested',
    approvalId,
    toolCallId: `${story.sessionId}-asked`,
    kind: 'question',
    subject: 'A question',
    sha256: 'd'.repeat(64),
    text: 'Two reports outside of this project read the column `name`. **What should happen to it?**',
    reason: 'Without an answer within 5 minutes, the suggestion counts.',
    form: [
      { ...common, name: 'choice', title: 'Choices', type: 'one-of', choices, preset: 'Replace it' },
      {
        ...common,
        name: 'own',
        title: 'Your answer',
        type: 'text',
        format: null,
        least: null,
        most: 20_000,
        preset: null,
      },
    ],
  });
}
