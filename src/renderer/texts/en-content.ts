/** What stands in an answer: code, formulas, diagrams and tables. */
export const content = {
  'code.save': 'Save as {name}',

  'run.start': 'Run in sandbox',
  'run.again': 'Run again',
  'run.about': 'Runs this once in the sandbox of this session, without a network.',
  'run.busy': 'The agent is working. You can run this when it has ended.',
  'run.running': 'Running…',
  'run.stopped': 'Stopped by you',
  'run.done': 'Done',
  'run.exit': 'Failed with exit code {code}',
  'run.killed': 'Ended without an exit code',
  'run.failed': 'Not run',
  'run.stop': 'Stop',
  'run.close': 'Close',

  'formula.failed': 'This formula cannot be read: {reason}',
  'formula.tooLong': 'It is too long.',

  'diagram.alt': 'Diagram. Its source says what it shows.',
  'diagram.source': 'Source',
  'diagram.failed': 'This diagram cannot be drawn. Here is its source.',
  'diagram.notLoaded': 'The part that draws diagrams could not be loaded.',
  'diagram.noImage': 'What was drawn is not an image.',

  'table.copyCsv': 'Copy as CSV',
  'table.copyMarkdown': 'Copy as Markdown',
} as const;
