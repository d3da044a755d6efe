/**
 * Reserved names of steps: variables of every step, keywords and builtins of the languages. A name
 * must be valid for all kinds of steps, because later steps of any kind see it.
 */
const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ALWAYS = wordSet('input context result');
const STEP = /^step_\d+$/;

const KEYWORDS = wordSet(`
  and break continue def elif else for if in lambda load not or pass return while as assert async await class del except finally from global
  import is nonlocal raise try with yield let nil true false True False None matches contains startsWith endsWith`);

const LARK_BUILTINS = wordSet(`
  abs any all bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord print range refuse repr reversed set sorted
  str tuple type zip json math time struct`);

/**
 * Builtins with a predicate. Other builtins of expr are recognised by their parenthesis, so steps
 * may share their names.
 */
const EXPR_BUILTINS = wordSet('all none any one filter map find findIndex findLast findLastIndex groupBy sortBy reduce');

export function isReservedName(name: string, kind: 'lark' | 'expr'): boolean {
  return (
    ALWAYS.has(name) || STEP.test(name) || KEYWORDS.has(name) || LARK_BUILTINS.has(name) || (kind === 'expr' && EXPR_BUILTINS.has(name))
  );
}
