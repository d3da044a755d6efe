/**
 * Names that a step cannot have because they already mean something: what every step sees, the keywords of the languages, and their builtins. All
 * later steps see a step's name, whatever their kind.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ALWAYS = words('input context result');
const STEP = /^step_\d+$/;

const WORDS = words(`
  and break continue def elif else for if in lambda load not or pass return while as assert async await class del except finally from global
  import is nonlocal raise try with yield let nil true false True False None matches contains startsWith endsWith`);

const OF_LARK = words(`
  abs any all bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord print range refuse repr reversed set sorted
  str tuple type zip json math time struct`);

/** Those with a predicate; the others of expr are called by their name and a parenthesis, and a step of that name hides nothing. */
const OF_EXPR = words('all none any one filter map find findIndex findLast findLastIndex groupBy sortBy reduce');

export function isReservedName(name: string, kind: 'lark' | 'expr'): boolean {
  return ALWAYS.has(name) || STEP.test(name) || WORDS.has(name) || OF_LARK.has(name) || (kind === 'expr' && OF_EXPR.has(name));
}
