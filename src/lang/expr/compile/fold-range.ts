/** Sums a range of literals without visiting it. Ints wrap around as usual. */
import type { IntNode, Node } from '../syntax/ast.ts';
import { makeInt } from '../values/value.ts';

/**
 * Sum of `body` over the range; `undefined` if the body is not `#`, `# * k`, `# + k` or `# - k`.
 */
export function sumOfRange(
  range: readonly [IntNode, IntNode],
  body: Node | undefined,
  initial: number | bigint = 0,
): number | bigint | undefined {
  const [first, last] = [BigInt(range[0].value), BigInt(range[1].value)];
  if (last < first) return undefined;
  const count = last - first + 1n;
  const total = wrap(wrap(count * (first + last)) / 2n);
  const sum = body === undefined ? total : applied(body, total, count);
  return sum === undefined ? undefined : makeInt(wrap(BigInt(initial) + sum));
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function isItem(node: Node): boolean {
  return node.kind === 'pointer' && node.name === '';
}

function applied(body: Node, total: bigint, count: bigint): bigint | undefined {
  if (isItem(body)) return total;
  if (body.kind !== 'binary') return undefined;
  const { left, right, op } = body;
  const constant = isItem(left) ? right : isItem(right) ? left : undefined;
  if (constant?.kind !== 'int') return undefined;
  const k = BigInt(constant.value);
  if (op === '*') return k * total;
  if (op === '+') return total + count * k;
  if (op !== '-') return undefined;
  return constant === right ? total - count * k : count * k - total;
}
