#!/usr/bin/env node
// Plays the program `ollama serve`, which listens at OLLAMA_HOST. OLLAMA_FAKE names how it misbehaves.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { OLLAMA_HOST = '', OLLAMA_FAKE = '', OLLAMA_FAKE_STARTS = '' } = process.env;
const [host, port] = OLLAMA_HOST.split(':');
if (OLLAMA_FAKE_STARTS !== '') appendFileSync(OLLAMA_FAKE_STARTS, `${process.pid}\n`);
if (OLLAMA_FAKE === 'dies') {
  process.stderr.write('Error: could not create directory: permission denied\n');
  process.exit(1);
}
const server = createServer((request, response) => {
  const answers = {
    '/api/version': { version: OLLAMA_FAKE === 'old' ? '0.3.0' : '0.17.4' },
    '/api/tags': { models: [] },
  };
  response.end(JSON.stringify(answers[request.url] ?? {}));
});
server.on('error', (error) => {
  process.stderr.write(`Error: listen tcp ${OLLAMA_HOST}: bind: address already in use (${error.message})\n`);
  process.exit(1);
});
server.listen(Number(port), host);
