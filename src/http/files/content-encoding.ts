/** Chooses the encoding of a response from the Accept-Encoding header. Pure. */
export type ContentEncoding = 'br' | 'gzip' | 'identity';

/** By preference of the service. */
export const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip', 'identity'];

/** `identity` is acceptable unless it is refused, but any encoding that is named comes first. */
const UNNAMED_IDENTITY = 0.0001;

/** Returns the best of the available encodings, or `identity` if none is acceptable. */
export function chooseEncoding(header: string | undefined, available: readonly ContentEncoding[]): ContentEncoding {
  const weights = parseWeights(header ?? '');
  let best: ContentEncoding = 'identity';
  let bestWeight = 0;
  for (const encoding of ENCODINGS) {
    if (!available.includes(encoding)) continue;
    const weight = weights.get(encoding) ?? (encoding === 'identity' ? UNNAMED_IDENTITY : (weights.get('*') ?? 0));
    if (weight <= bestWeight) continue;
    best = encoding;
    bestWeight = weight;
  }
  return best;
}

function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isNaN(weight) ? 0 : weight);
  }
  return weights;
}
