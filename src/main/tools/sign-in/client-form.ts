import type { SignIn } from './kept-sign-ins.ts';
import type { Oauth } from './oauth-errors.ts';

export interface ClientForm {
  readonly client: SignIn['client'];
  readonly methods: readonly string[] | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

/** A form request with the client's credentials, in the way that the service wants them. */
export function clientForm(oauth: Oauth, { client, methods, fields }: ClientForm): RequestInit {
  const form = new URLSearchParams(fields);
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
  const { client_id: id, client_secret: secret } = client;
  if (oauth.selectClientAuthMethod(client, [...(methods ?? [])]) === 'client_secret_basic' && secret !== undefined) {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
  } else {
    form.set('client_id', id);
    if (secret !== undefined) form.set('client_secret', secret);
  }
  return { method: 'POST', headers, body: form };
}
