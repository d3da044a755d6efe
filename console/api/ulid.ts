/** ULIDs: 48 bits of time and 80 random bits in Crockford's base 32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LETTERS = 10;
const RANDOM_LETTERS = 16;

export function newUlid(): string {
  let time = '';
  for (let rest = Date.now(), i = 0; i < TIME_LETTERS; i++, rest = Math.floor(rest / 32)) time = ALPHABET.charAt(rest % 32) + time;
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_LETTERS));
  return time + Array.from(random, (byte) => ALPHABET.charAt(byte % 32)).join('');
}
