// Mutations that are independent of the protocol: bits, bytes, messages and turns that are changed,
// lost, doubled, exchanged or endless.
import { changing, type Mutation, places, replaced, type Turn } from './protocol.ts';
import type { Random } from './random.ts';

const any = (message: Buffer): boolean => message.length > 0;

/** Picks a position, early in half of the cases, because lengths and counts are there. */
function somewhere(message: Buffer, random: Random): number {
  return random.below(random.chance(60) ? Math.min(message.length, 24) : message.length);
}

function overwrite(message: Buffer, random: Random): Buffer {
  const at = somewhere(message, random);
  const bytes = Buffer.alloc(8);
  const value = random.oddNumber();
  const size = random.pick([1, 2, 3, 4, 8]);
  if (random.chance(50)) bytes.writeUInt32LE(value, 0);
  else bytes.writeUIntBE(size >= 4 ? value : value % 256 ** size, 0, Math.min(size, 4));
  bytes.copy(message, at, 0, Math.min(size, message.length - at));
  return message;
}

function cutTurns(turns: readonly Turn[], random: Random): readonly Turn[] {
  const all = places(turns);
  if (all.length === 0) return turns;
  const { turn, index, message } = random.pick(all);
  const kept = message.subarray(0, random.below(message.length + 1));
  return turns.slice(0, turn + 1).map((one, i) => (i === turn ? { ...one, messages: [...one.messages.slice(0, index), kept] } : one));
}

export const GENERAL: Readonly<Record<string, Mutation>> = {
  'bits flipped': changing(any, (message, random) => {
    for (let n = 1 + random.below(8); n > 0; n--) {
      const at = somewhere(message, random);
      message[at] = (message[at] as number) ^ (1 << random.below(8));
    }
    return message;
  }),
  'bytes overwritten': changing(any, overwrite),
  'bytes inserted': changing(any, (message, random) => {
    const at = somewhere(message, random);
    return Buffer.concat([message.subarray(0, at), random.bytes(1 + random.below(40)), message.subarray(at)]);
  }),
  'bytes removed': changing(any, (message, random) => {
    const at = somewhere(message, random);
    return Buffer.concat([message.subarray(0, at), message.subarray(at + 1 + random.below(20))]);
  }),
  'message lost': changing(any, () => []),
  'message doubled': changing(any, (message, random) => Array.from({ length: 2 + random.below(3) }, () => message)),
  'message repeated for ever': (turns, random) => {
    const all = places(turns, any);
    if (all.length === 0) return turns;
    const { turn, index, message } = random.pick(all);
    return turns.map((one, i) => (i === turn ? { ...one, messages: one.messages.slice(0, index), endless: message } : one));
  },
  'messages exchanged': (turns, random) => {
    const all = places(turns);
    if (all.length < 2) return turns;
    const [one, other] = [random.pick(all), random.pick(all)];
    return replaced(replaced(turns, one, other.message), other, one.message);
  },
  'message of another conversation': (turns, random, all) => {
    const here = places(turns);
    const there = places(random.pick(all).turns);
    if (here.length === 0 || there.length === 0) return turns;
    const place = random.pick(here);
    const foreign = random.pick(there).message;
    return replaced(turns, place, ...(random.chance(50) ? [foreign] : [foreign, place.message]));
  },
  'cut off': cutTurns,
  'turn lost': (turns, random) => turns.toSpliced(random.below(turns.length), 1),
  'random bytes': (turns, random) => {
    const all = places(turns);
    return all.length === 0 ? turns : replaced(turns, random.pick(all), random.bytes(1 + random.below(300)));
  },
};

/** Puts one of these messages before, behind or in place of a message. */
export const inserting =
  (candidates: readonly Buffer[]): Mutation =>
  (turns, random) => {
    const all = places(turns);
    if (all.length === 0) return turns;
    const place = random.pick(all);
    const added = random.pick(candidates);
    return replaced(turns, place, ...random.pick([[added], [added, place.message], [place.message, added]]));
  };
