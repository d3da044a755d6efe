/**
 * Names that a step cannot have, because they mean something already: what every step sees, the words of the languages, and what the
 * languages give. A step's name is seen by all later steps, whatever their kind.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ALWAYS = words('input context result');
const STEP = /^step_\d+$/;

const WORDS = words(`
  and break continue def elif else for if in lambda load not or pass return while as assert async await class del except finally from global
  import is nonlocal raise try with yield let nil true false True False None matches contains startsWith endsWith`);

const OF_LARK = words(`
  abs any all bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord print range repr reversed set sorted
  str tuple type zip json math time struct`);

const OF_EXPR = words(`
  all none any one filter map find findIndex findLast findLastIndex count sum groupBy sortBy reduce len type abs ceil floor round int float
  string trim trimPrefix trimSuffix upper lower split splitAfter replace repeat join indexOf lastIndexOf hasPrefix hasSuffix max min mean
  median toJSON fromJSON toBase64 fromBase64 now duration date timezone first last get take keys values toPairs fromPairs reverse uniq concat
  flatten sort bitand bitor bitxor bitnand bitnot bitshl bitshr bitushr`);

export function isReservedName(name: string, kind: 'lark' | 'expr'): boolean {
  return ALWAYS.has(name) || STEP.test(name) || WORDS.has(name) || OF_LARK.has(name) || (kind === 'expr' && OF_EXPR.has(name));
}
