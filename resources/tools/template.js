// A tool for Dewpoint. It runs in the sandbox, never on your machine itself.
//
// The object is read without running this file, so write it out: no calls, no values in texts.
// `execute` gets the arguments; what it returns is the result. Use console.log to see what it does.
import { readFile } from 'node:fs/promises';

export default {
  name: 'TOOL_NAME',
  description: 'Counts the lines and words of a text file in the workspace.',
  input_schema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'the file, from the workspace' } },
    required: ['path'],
  },
  // With one of these it runs in a container of its own, without the files of the workspace:
  // hosts: ['api.example.org'],
  // secrets: ['API_TOKEN'],
  timeout_seconds: 30,

  async execute({ path }) {
    const text = await readFile(path, 'utf8');
    const words = text.split(/\s+/).filter((word) => word !== '');
    return { lines: text.split('\n').length, words: words.length };
  },
};
