interface DiffProps {
  /** Unified. */
  readonly text: string;
}

const shownLines = 400;

/** A unified diff, a line a row; added and removed lines differ in sign and colour. */
export function Diff({ text }: DiffProps) {
  const lines = text.replace(/\n$/u, '').split('\n');
  const body = lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => line.startsWith('@@')),
    ),
  );
  return (
    <pre className="diff">
      {body.slice(0, shownLines).map((line, index) => (
        // Lines of a diff are not told apart by what they say.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} className={classOf(line)}>
          {`${line}\n`}
        </span>
      ))}
      {body.length > shownLines && <span className="muted">{`… and ${body.length - shownLines} more lines\n`}</span>}
    </pre>
  );
}

function classOf(line: string): string {
  if (line.startsWith('@@')) return 'diff-place';
  if (line.startsWith('+')) return 'diff-added';
  return line.startsWith('-') ? 'diff-removed' : '';
}
