/** Remembers values that are derived from objects, for as long as those objects live. */

/** Calls `make` once per key. */
export function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}

/** Calls `make` once per pair of keys. */
export function memoPair<K extends object, L extends object, V>(make: (key: K, other: L) => V): (key: K, other: L) => V {
  const byKey = memo((key: K) => memo((other: L) => make(key, other)));
  return (key, other) => byKey(key)(other);
}
