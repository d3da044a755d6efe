// The effect of a statement whose session has ended, from the fields of the server's error.
import { describe, expect, it } from 'vitest';
import { failureFrom } from '../../../src/engines/postgres/dialect/failures.ts';

describe('failureFrom', () => {
  it.each([
    ['an error of a statement', { V: 'ERROR', C: '23505' }, 'duplicate', 'nothing'],
    ['a lost foreign server', { V: 'ERROR', C: '08006' }, 'lost', 'nothing'],
    ['an administrator', { V: 'FATAL', C: '57P01' }, 'lost', 'nothing'],
    ['the end of an idle session', { V: 'FATAL', C: '57P05' }, 'lost', 'unsent'],
    ['a pooler that lost its server', { S: 'FATAL', C: '08P01' }, 'lost', 'unknown'],
    ['a crash of the server', { V: 'FATAL', C: '57P02' }, 'lost', 'unknown'],
    ['an unknown reason to end the session', { V: 'FATAL', C: 'XX000' }, 'lost', 'unknown'],
  ])('finds the effect of %s', (_, fields, kind, effect) => {
    expect(failureFrom(new Map(Object.entries({ M: 'message', ...fields })))).toMatchObject({ kind, effect });
  });
});
