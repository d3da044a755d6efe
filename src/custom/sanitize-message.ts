/**
 * Removes row values, SQL text and internal names from an engine's message before a client sees it.
 * Matches patterns of messages, independent of the engine; other messages pass unchanged.
 */
const CUTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Details that list a row or a key.
  [/ \((?:Failing row contains|Key \(|Partition key of the failing row)[\s\S]*$/, ''],
  [/(Duplicate entry) '[\s\S]*' (for key )'(?:[^'.]*\.)?([^']*)'/, "$1 $2'$3'"],
  [/(a foreign key constraint fails) \([\s\S]*?CONSTRAINT [`"]([^`"]+)[`"][\s\S]*$/, '$1 ($2)'],
  [/(Constraint [`"][^`"]+[`"]) for table [\s\S]*? is violated[\s\S]*$/, '$1 is violated'],
  [/(CONSTRAINT [`"][^`"]+[`"] failed) for [\s\S]*$/, '$1'],
  [/((?:Incorrect|Truncated incorrect|Invalid) [\w ]+? value):? '[\s\S]*?'(?= for | at row|$)/, '$1'],
  // Values that could not be converted to a type.
  [
    /(invalid input syntax for type [^:]+|invalid input value for enum [^:]+|malformed (?:array|record|range) literal|date\/time field value out of range|invalid byte sequence[^:]*|value out of range)(?:: "[\s\S]*")/,
    '$1',
  ],
  [/(Cannot parse (?:string|datetime|number|uuid|date)[\w ]*) '[\s\S]*?'(?= as |:|$)/i, '$1'],
  [/value "[\s\S]*?" (is out of range)/, 'a value $1'],
  // SQL text.
  [/ near '[\s\S]*' at line \d+/, ''],
  [/(Syntax error(?: \([^)]*\))?: failed at position \d+)[\s\S]*$/, '$1'],
  [/(?::? (?:While|while|In|in) (?:executing|processing|scope|query)\b|\(in query)[\s\S]*$/, ''],
];

export function sanitizeMessage(message: string): string {
  return CUTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
