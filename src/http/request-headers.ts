/** Values that are derived from a header section once, for all requests that share it. */
import { type ContextHeaders, readHeaders } from '../auth/headers.ts';
import { type HeaderSection, headerOf } from '../http1/index.ts';

/**
 * Headers, besides those of the caller, that must not be repeated: two parsers could disagree on
 * which one counts.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'x-request-id']);

/** A client's request id is used if it is a single token of a reasonable length. */
const REQUEST_ID = /^[A-Za-z0-9._~+/=:-]{1,128}$/;

export class RequestHeaders {
  /** The client's request id; `undefined` if it sent none, or an invalid one. */
  readonly requestId: string | undefined;
  /** Name of a header that must not be repeated but is. */
  readonly repeated: string | undefined;
  readonly #section: HeaderSection;
  #context: ContextHeaders | undefined;

  static of(section: HeaderSection): RequestHeaders {
    if (section.derived === undefined) section.derived = new RequestHeaders(section);
    return section.derived as RequestHeaders;
  }

  private constructor(section: HeaderSection) {
    const requestId = headerOf(section, 'x-request-id');
    this.requestId = requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : undefined;
    this.repeated = findRepeated(section);
    this.#section = section;
  }

  /** The headers that identify the caller. */
  get context(): ContextHeaders {
    this.#context ??= readHeaders(this.#section.lines);
    return this.#context;
  }
}

function findRepeated({ lines }: HeaderSection): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i] as string;
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
