/** How the caches read the catalog. A read may run under the server's limit of the requests around it. */
export const READ_OPTIONS = { timeoutMs: 10_000, serverLimit: 'any' } as const;
