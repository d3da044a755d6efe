/** The tokens of this tab, one for each space that was entered. They end with the identity. */

const KEY = 'millrace.space-tokens';

function read(): Readonly<Record<string, string>> {
  return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string>;
}

export const spaceTokens = {
  of: (spaceId: string): string | undefined => read()[spaceId],

  has: (token: string): boolean => Object.values(read()).includes(token),

  keep(spaceId: string, token: string): void {
    sessionStorage.setItem(KEY, JSON.stringify({ ...read(), [spaceId]: token }));
  },

  clear: (): void => sessionStorage.removeItem(KEY),
};
