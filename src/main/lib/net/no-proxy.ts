/** Whether a list such as `no_proxy` names a host, or one that it is under; `*` names all. */
export function isProxyExcepted(noProxy: string, host: string): boolean {
  return noProxy
    .split(',')
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry}`))));
}
