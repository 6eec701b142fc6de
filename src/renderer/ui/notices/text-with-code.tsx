/** A sentence of the core. Text in backticks is shown as code. */
export function TextWithCode({ text }: { readonly text: string }) {
  return text.split(/`([^`\n]+)`/u).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- parts have nothing but their place
      <code key={index} className="font-mono text-xs">
        {part}
      </code>
    ),
  );
}
