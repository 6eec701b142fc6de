#!/usr/bin/env node
// Stands in for the program `ollama serve`: it listens where OLLAMA_HOST says. FAKE_OLLAMA names what it does otherwise.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { OLLAMA_HOST = '', FAKE_OLLAMA = '', FAKE_OLLAMA_STARTS = '' } = process.env;
const [host, port] = OLLAMA_HOST.split(':');
if (FAKE_OLLAMA_STARTS !== '') appendFileSync(FAKE_OLLAMA_STARTS, `${process.pid}\n`);
if (FAKE_OLLAMA === 'dies') {
  process.stderr.write('Error: could not create directory: permission denied\n');
  process.exit(1);
}
const server = createServer((request, response) => {
  const answers = {
    '/api/version': { version: FAKE_OLLAMA === 'old' ? '0.3.0' : '0.17.4' },
    '/api/tags': { models: [] },
  };
  response.end(JSON.stringify(answers[request.url] ?? {}));
});
server.on('error', (error) => {
  process.stderr.write(`Error: listen tcp ${OLLAMA_HOST}: bind: address already in use (${error.message})\n`);
  process.exit(1);
});
server.listen(Number(port), host);
