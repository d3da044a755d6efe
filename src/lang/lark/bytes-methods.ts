/** The methods of bytes: only the view of their elements. */
import { positional } from './args.ts';
import { fail } from './failure.ts';
import { type BuiltinBody, LarkBytes } from './value.ts';
import { BytesElements } from './views.ts';

export const BYTES_METHODS: ReadonlyMap<string, BuiltinBody> = new Map<string, BuiltinBody>([
  [
    'elems',
    (_thread, args, named, self) => {
      positional('elems', args, named, 0, 0);
      return self instanceof LarkBytes ? new BytesElements(self.data) : fail('elems: not bytes');
    },
  ],
]);
