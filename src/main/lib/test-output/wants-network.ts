/** Whether the output of a command says that a name of another machine could not be looked up, or that it has no network. */
export function wantsNetwork(output: string): boolean {
  return /getaddrinfo|ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution|Network is unreachable/u.test(
    output,
  );
}
