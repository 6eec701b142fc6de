import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
try {
  const loaded = await import(pathToFileURL(process.argv[2]).href);
  const tool = [loaded.default, loaded.tool, loaded].find((one) => typeof one?.execute === 'function');
  if (tool === undefined) throw new Error('It exports no object with a function "execute".');
  const result = await tool.execute(JSON.parse(readFileSync(0, 'utf8')));
  const text = typeof result === 'string' ? result : (JSON.stringify(result, null, 2) ?? '');
  write(text, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error?.stack ?? error}\n`, () => process.exit(1));
}
