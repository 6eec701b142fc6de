interface Runner {
  /** The file that is started. It loads the tool that its argument names. */
  readonly runner: { readonly name: string; readonly text: string };
  /** The name that the file of the tool must have there. */
  readonly fileName: string;
}

/** The program that calls the function of an exported tool. What its file prints is not part of the result. */
export function runnerFor(file: string, text: string): Runner {
  if (file.toLowerCase().endsWith('.py'))
    return { runner: { name: 'dewpoint_run.py', text: pythonRunner }, fileName: 'dewpoint_tool.py' };
  // Without a package.json, only the file name says whether a file is a module.
  const lines = text.split('\n').map((line) => line.trimStart());
  const isModule = lines.some((line) => /^export\b/.test(line));
  const kind = !isModule && lines.some((line) => /^(?:module\.)?exports\b/.test(line)) ? 'c' : 'm';
  const end = /ts$/i.test(file) ? 'ts' : 'js';
  return { runner: { name: 'dewpoint_run.mjs', text: scriptRunner }, fileName: `dewpoint_tool.${kind}${end}` };
}

const scriptRunner = `import { readFileSync } from 'node:fs';
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
  process.stderr.write(\`\${error?.stack ?? error}\\n\`, () => process.exit(1));
}
`;

const pythonRunner = `import asyncio
import importlib.util
import inspect
import json
import sys

result_to = sys.stdout
sys.stdout = sys.stderr
place = importlib.util.spec_from_file_location("dewpoint_tool", sys.argv[1])
module = importlib.util.module_from_spec(place)
sys.modules["dewpoint_tool"] = module
place.loader.exec_module(module)
execute = module.tool.get("execute") or module.execute
result = execute(json.load(sys.stdin))
if inspect.isawaitable(result):
    async def wait():
        return await result
    result = asyncio.run(wait())
if result is not None:
    result_to.write(result if isinstance(result, str) else json.dumps(result, indent=2, ensure_ascii=False, default=str))
result_to.flush()
`;
