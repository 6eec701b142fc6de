import { statusOf } from './errors.js';
import { readJson } from './read-json.js';

/** Finds the route of a request, runs it and writes the answer. */
export async function handle(request, response, routes) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const route = routes.find(
    (candidate) => candidate.method === request.method && candidate.pattern.test(pathname),
  );
  if (route === undefined) return send(response, 404, { error: 'no such address' });
  try {
    const params = route.pattern.exec(pathname).slice(1);
    const body = request.method === 'POST' ? await readJson(request) : undefined;
    const result = await route.run({ params, body });
    send(response, result.status, result.body);
  } catch (error) {
    send(response, statusOf(error), { error: error.message, code: error.code });
  }
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? '' : JSON.stringify(body));
}
