/** Methods of bytes: only the view of their elements. */

import { fail } from '../values/failure.ts';
import type { BuiltinBody } from '../values/function.ts';
import { LarkBytes } from '../values/value.ts';
import { BytesElements } from '../values/views.ts';
import { positional } from './args.ts';

export const BYTES_METHODS: ReadonlyMap<string, BuiltinBody> = new Map<string, BuiltinBody>([
  [
    'elems',
    (_thread, args, named, self) => {
      positional('elems', args, named, 0, 0);
      return self instanceof LarkBytes ? new BytesElements(self.data) : fail('elems: not bytes');
    },
  ],
]);
