/** The header names that clients of one listener use, and what the framing headers say. No I/O. */
import { BoundedMap } from '../../util/bounded-map.ts';
import { detached } from '../../util/text/detached.ts';
import { RequestRejected } from '../request-rejected.ts';

/** Everything that the headers say about the body and the connection. */
export interface Framing {
  hosts: number;
  length: string | undefined;
  isChunked: boolean;
  connection: string;
  expect: string | undefined;
}

type ReadValue = (framing: Framing, value: string) => void;

const FRAMING_HEADERS: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
  [
    'host',
    (framing) => {
      framing.hosts++;
    },
  ],
  [
    'content-length',
    (framing, value) => {
      if (framing.length !== undefined || !/^\d{1,15}$/.test(value)) throw new RequestRejected('malformed');
      framing.length = value;
    },
  ],
  [
    'transfer-encoding',
    (framing, value) => {
      if (framing.isChunked || value.toLowerCase() !== 'chunked') throw new RequestRejected('malformed');
      framing.isChunked = true;
    },
  ],
  [
    'connection',
    (framing, value) => {
      framing.connection += `,${value.toLowerCase()}`;
    },
  ],
  [
    'expect',
    (framing, value) => {
      if (value.toLowerCase() !== '100-continue') throw new RequestRejected('expectation');
      framing.expect = value;
    },
  ],
]);

interface HeaderName {
  readonly lowerCase: string;
  /** Reads the value into the framing; `undefined` for all other headers. */
  readonly readValue: ReadValue | undefined;
}

const MAX_SPELLINGS = 1000;
const MAX_REMEMBERED_LENGTH = 64;

/** Clients use few spellings of few names: each is converted once. */
export class HeaderNames {
  readonly #spellings = new BoundedMap<string, HeaderName>(MAX_SPELLINGS);

  find(spelling: string): HeaderName {
    const known = this.#spellings.get(spelling);
    if (known !== undefined) return known;
    const own = detached(spelling);
    const lowerCase = own.toLowerCase();
    const name = { lowerCase, readValue: FRAMING_HEADERS.get(lowerCase) };
    if (own.length <= MAX_REMEMBERED_LENGTH) this.#spellings.set(own, name);
    return name;
  }
}
