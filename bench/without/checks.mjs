// Bounds and checks of the service that can be taken out for a measurement: the file, a text in it, and what stands there without the check.
// Only for measuring what each of them costs; nothing of it is shipped, and a service without them must not be used.

export const CHECKS = {
  wipe: {
    what: 'what a database sent is wiped from the shared buffer',
    edits: [['engines/socket-reader.js', 'wipe.call(SHARED, 0, 0, length);', '']],
  },
  lengths: {
    what: 'lengths, counts and ends of messages and cells (PostgreSQL)',
    edits: [
      ['engines/postgres/protocol/incoming.js', /if \(size < LEAST\)\s+throw [^;]+;/g, ''],
      ['engines/postgres/protocol/answer.js', /if \(count !== this\.#width\)\s+throw [^;]+;/, ''],
      ['engines/postgres/protocol/answer.js', /if \(at !== end\)\s+throw [^;]+;/, ''],
    ],
  },
  target: {
    what: 'every byte of a request target is one that may stand there',
    edits: [['http/wire/head.js', 'skip(bytes, methodEnd + 1, IN_TARGET)', 'bytes.indexOf(SPACE, methodEnd + 1)']],
  },
  bodies: {
    what: 'bytes of all bodies in flight are counted',
    edits: [['http/wire/connection.js', '!arrival.count(bodies) && ', 'false && ']],
  },
  lease: {
    what: 'the lease on what is remembered of the store',
    edits: [['store/sql-store.js', 'return this.#freshness.refresh();', 'return undefined;']],
  },
  slices: {
    what: 'large answers flow in slices, the projects in turn',
    edits: [['http/respond.js', 'this.#flow?.spend(piece.length);', '']],
  },
  meters: {
    what: 'requests are counted by table and endpoint',
    edits: [['observe.js', /this\.#subjects\.note\([^;]+;/, '']],
  },
};

/** The source without these checks. Throws where a text is no longer there: the table above is older than the code. */
export function without(names, url, source) {
  let text = source;
  for (const name of names)
    for (const [file, from, to] of CHECKS[name].edits) {
      if (!url.endsWith(`/dist/${file}`)) continue;
      const edited = text.replace(from, to);
      if (edited === text) throw new Error(`${file} has no ${from}`);
      text = edited;
    }
  return text;
}
